// SPDX-License-Identifier: MIT

// Package sno has the names of github.com/muyo/sno: change the import, and snos come from frazil.
//
// A generator whose partition the caller chose keeps its state on the host. Generators with the same partition and sequence pool
// share one sequence, within a process and across processes, also after a restart. FRAZIL_STATE=memory in the environment turns
// that off; another process is then refused the partition.
//
// In that module New cannot fail. Here it panics with a sentence if there is no sno for ten seconds, unless an overflow is the
// reason. Texts with characters outside 2-9a-x and times outside the range of an ID are errors.
package sno

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	frazil "github.com/frazil/frazil-go"
)

// GeneratorSnapshot configures a generator, or holds the state from which one continues. Times are in TimeUnit since Epoch.
type GeneratorSnapshot struct {
	Partition   Partition `json:"partition"`
	SequenceMin uint16    `json:"sequenceMin"` // both are included, and may be given in either order; 0 and 0 mean all
	SequenceMax uint16    `json:"sequenceMax"`
	Sequence    uint32    `json:"sequence"` // the last one issued; 0 stands for SequenceMin
	Now         int64     `json:"now"`      // when the snapshot was taken
	WallHi      int64     `json:"wallHi"`   // the unit of the last sno
	WallSafe    int64     `json:"wallSafe"` // if the clock goes back to this or below, the generator waits
	Drifts      uint32    `json:"drifts"`   // how often the clock went back
}

// SequenceOverflowNotification is sent while callers ask for more sequence numbers than the generator has.
type SequenceOverflowNotification struct {
	Now   time.Time // the time of the tick
	Count uint32    // how many calls are waiting
	Ticks uint32    // how long the overflow has lasted, in ticks of about a millisecond
}

// InvalidSequenceBoundsError reports what is wrong with the sequence numbers of a snapshot.
type InvalidSequenceBoundsError struct {
	Cur uint32
	Min uint16
	Max uint16
	Msg string
}

// Error returns the sentence.
func (e *InvalidSequenceBoundsError) Error() string {
	return fmt.Sprintf("sno: %s; min: %d, sequence: %d, max: %d, pool: %d", e.Msg, e.Min, e.Cur, e.Max, e.Max-e.Min+1)
}

// PartitionPoolExhaustedError reports that generators without a partition of the caller's have used all partitions of the
// process.
type PartitionPoolExhaustedError struct{}

// Error returns the sentence.
func (e *PartitionPoolExhaustedError) Error() string {
	return "sno: process exceeded maximum number of possible defaults-configured generators"
}

const (
	// poolMin is the smallest pool of sequence numbers. sno's error says 4, but sno refuses 4 and 5 as well.
	poolMin = 6
	// patience is how long New waits before it panics, unless it waits for a sequence number.
	patience = 10 * time.Second
	// collections is how often NewGenerator collects garbage before it reports that other generators have the pool.
	collections = 5
	// tick is how often an overflow is checked.
	tick = TimeUnit / 4 * time.Nanosecond
)

// Generator makes snos. Any number of goroutines may use it at once.
type Generator struct {
	pool     pool
	made     bool // by NewGenerator
	open     sync.Once
	close    sync.Once
	inner    *frazil.Generator // of a generator without a partition of the caller's: opened when it is first used
	overflow overflow
}

// pool is what two generators must not have in common, unless they share a sequence.
type pool struct {
	partition Partition
	min, max  uint16
}

// living holds the library's generators by pool, while a Generator uses them. A generator that continues from a snapshot
// thus shares the sequence with the generator of that snapshot.
var living = struct {
	sync.Mutex
	of map[pool]*lived
}{of: make(map[pool]*lived)}

type lived struct {
	inner *frazil.Generator
	users int
}

// join makes g use the generator of its pool, which is opened if there is none. g leaves it when g is collected.
func (g *Generator) join(open func() (*frazil.Generator, error)) (joined bool, err error) {
	living.Lock()
	defer living.Unlock()
	shared := living.of[g.pool]
	joined = shared != nil
	if !joined {
		inner, err := open()
		if err != nil {
			return false, err
		}
		shared = &lived{inner: inner}
		living.of[g.pool] = shared
	}
	shared.users++
	g.inner = shared.inner
	runtime.SetFinalizer(g, (*Generator).part)
	return joined, nil
}

// part undoes join.
func (g *Generator) part() {
	living.Lock()
	defer living.Unlock()
	if shared := living.of[g.pool]; shared.users > 1 {
		shared.users--
		return
	}
	delete(living.of, g.pool)
	g.inner.Close()
}

// Close gives the partition back if no other generator has it. It must be the last call. sno has no such method; a generator
// that is not closed is closed when it is collected.
func (g *Generator) Close() error {
	g.open.Do(func() {}) // it is not opened any more
	g.close.Do(func() {
		runtime.SetFinalizer(g, nil)
		if g.inner != nil {
			g.part()
		}
	})
	return nil
}

// nextPartition returns a partition that no other generator of this process got: frazil draws each of them once, also for its
// own generators of snos.
func nextPartition() (p Partition, err error) {
	drawn, err := frazil.Open("layout=sno worker=auto", frazil.WithoutEnvironment())
	if errors.Is(err, frazil.EPool) {
		return p, &PartitionPoolExhaustedError{}
	}
	if err != nil {
		return p, err
	}
	defer drawn.Close()
	p.PutUint16(uint16(drawn.Info().Worker))
	return p, nil
}

// NewGenerator makes a generator. Without a snapshot the partition is unique within this process only: processes that start
// together can draw the same one, as sno's do, and then repeat each other's snos. Overflows are sent to the
// channel, which may be nil; a notification is dropped if the channel is full.
func NewGenerator(snapshot *GeneratorSnapshot, c chan<- *SequenceOverflowNotification) (*Generator, error) {
	if snapshot == nil {
		p, err := nextPartition()
		if err != nil {
			return nil, err
		}
		return &Generator{pool: pool{p, 0, MaxSequence}, made: true, overflow: overflow{to: c}}, nil
	}
	s := *snapshot
	if err := s.sanitise(); err != nil {
		return nil, err
	}
	g := &Generator{pool: pool{s.Partition, s.SequenceMin, s.SequenceMax}, made: true, overflow: overflow{to: c}}
	joined, err := g.join(s.generator)
	for try := 0; try < collections && errors.Is(err, frazil.EWorker); try++ {
		// A generator that is no longer referenced may have the pool, or overlap it, until it is collected.
		runtime.GC()
		time.Sleep(TimeUnit)
		joined, err = g.join(s.generator)
	}
	if err != nil {
		return nil, err
	}
	g.open.Do(func() {})
	if joined && g.Snapshot().isBehind(&s) {
		return nil, fmt.Errorf("sno: a generator of this partition and pool runs already, and has not come as far as the snapshot")
	}
	if g.inner.Info().Length > 0 {
		// A generator with the same sequence has used some of this unit's numbers, but a new one has all of them.
		time.Sleep(TimeUnit)
	}
	return g, nil
}

// isBehind reports whether other is a later state.
func (s GeneratorSnapshot) isBehind(other *GeneratorSnapshot) bool {
	return s.Drifts < other.Drifts || s.Drifts == other.Drifts && s.WallHi < other.WallHi
}

// sanitise puts the bounds in order, and refuses unusable ones.
func (s *GeneratorSnapshot) sanitise() error {
	refuse := func(msg string) error {
		return &InvalidSequenceBoundsError{Cur: s.Sequence, Min: s.SequenceMin, Max: s.SequenceMax, Msg: msg}
	}
	if s.SequenceMax == 0 && s.SequenceMin != MaxSequence {
		s.SequenceMax = MaxSequence
	}
	switch {
	case s.SequenceMin == s.SequenceMax:
		return refuse("sno: sequence bounds are identical - need a sequence pool with a capacity of at least 4")
	case s.SequenceMin > s.SequenceMax:
		s.SequenceMin, s.SequenceMax = s.SequenceMax, s.SequenceMin
	}
	if int(s.SequenceMax)-int(s.SequenceMin)+1 < poolMin {
		return refuse("sno: generators require a sequence pool with a capacity of at least 4")
	}
	if s.Sequence == 0 {
		s.Sequence = uint32(s.SequenceMin)
	}
	if s.Sequence < uint32(s.SequenceMin) {
		return refuse("sno: current sequence underflows the given lower bound")
	}
	return nil
}

// generator opens a generator. A snapshot that no generator took is a configuration: equal ones share a generator.
func (s *GeneratorSnapshot) generator() (*frazil.Generator, error) {
	if s.WallHi == 0 && s.WallSafe == 0 && s.Drifts == 0 && s.Sequence == uint32(s.SequenceMin) {
		return frazil.OpenShared(fmt.Sprintf("layout=sno partition=%d seq_min=%d seq_max=%d", s.Partition.AsUint16(),
			s.SequenceMin, s.SequenceMax))
	}
	return s.opened()
}

// opened continues from the snapshot. Such a generator keeps no state, and holds its partition only within this process.
func (s *GeneratorSnapshot) opened(options ...frazil.Option) (*frazil.Generator, error) {
	return frazil.Open("layout=sno", append(options, frazil.WithSnapshot(frazil.Snapshot{
		Partition:   s.Partition,
		SequenceMin: s.SequenceMin,
		SequenceMax: s.SequenceMax,
		Sequence:    s.Sequence,
		Now:         s.Now,
		WallHi:      s.WallHi,
		WallSafe:    s.WallSafe,
		Drifts:      s.Drifts,
	}))...)
}

// gen returns the generator, which the first caller opens.
func (g *Generator) gen() *frazil.Generator {
	g.open.Do(func() {
		if !g.made {
			panic("sno: the generator was not made by NewGenerator")
		}
		// Another process may have drawn the same partition, and New cannot fail: so claim nothing on the host.
		drawn := GeneratorSnapshot{Partition: g.pool.partition, SequenceMin: g.pool.min, SequenceMax: g.pool.max}
		_, err := g.join(func() (*frazil.Generator, error) { return drawn.opened(frazil.WithoutEnvironment()) })
		if err != nil {
			panic("sno: no generator can be opened: " + err.Error())
		}
	})
	if g.inner == nil {
		panic("sno: no generator could be opened")
	}
	return g.inner
}

// New returns the next sno, with a metabyte. It waits while the sequence overflows.
func (g *Generator) New(meta byte) ID {
	id, err := g.gen().TryNextSno(meta)
	if err != nil {
		return g.insist(meta, err)
	}
	return ID(id)
}

func (g *Generator) insist(meta byte, why error) ID {
	began := time.Now()
	counted := false
	defer func() {
		if counted {
			g.overflow.leave()
		}
	}()
	for {
		var e *frazil.Error
		if !errors.As(why, &e) || e.Class() == frazil.Usage || e.Class() == frazil.Fatal {
			panic("sno: there is no sno: " + why.Error())
		}
		wait := e.Retry
		if e.Code == frazil.EAgain && wait <= TimeUnit {
			// The next unit has new sequence numbers, no matter how many calls wait.
			began = time.Now()
			if !counted {
				g.overflow.enter()
				counted = true
			}
		} else if time.Since(began) > patience {
			panic("sno: there is no sno: " + why.Error())
		}
		if wait <= 0 || wait > time.Second {
			wait = tick
		}
		time.Sleep(wait)
		id, err := g.inner.TryNextSno(meta)
		if err == nil {
			return ID(id)
		}
		why = err
	}
}

// NewWithTime returns a sno for the given time, from a separate sequence, which rolls over silently. It panics for a time that
// an ID cannot have.
func (g *Generator) NewWithTime(meta byte, t time.Time) ID {
	defer runtime.KeepAlive(g) // it closes the inner one when it is collected
	id, err := g.gen().NextSnoAt(meta, t)
	if err != nil {
		panic("sno: " + err.Error())
	}
	return ID(id)
}

// Partition returns the generator's partition.
func (g *Generator) Partition() Partition { return g.pool.partition }

// Sequence returns the last number issued in this unit, or SequenceMin.
func (g *Generator) Sequence() uint32 { return g.Snapshot().Sequence }

func (g *Generator) info() frazil.Info {
	defer runtime.KeepAlive(g)
	return g.gen().Info()
}

// SequenceMin returns the lowest sequence number that the generator uses.
func (g *Generator) SequenceMin() uint16 { return uint16(g.info().SequenceMin) }

// SequenceMax returns the highest sequence number that the generator uses.
func (g *Generator) SequenceMax() uint16 { return uint16(g.info().SequenceMax) }

// Len returns how many sequence numbers of this unit are used.
func (g *Generator) Len() int { return int(g.info().Length) }

// Cap returns how many sequence numbers a unit has.
func (g *Generator) Cap() int { return int(g.info().Capacity) }

// Snapshot returns the generator's state. The next sno makes it stale.
func (g *Generator) Snapshot() GeneratorSnapshot {
	defer runtime.KeepAlive(g) // it closes the inner one when it is collected
	s, err := g.gen().Snapshot()
	if err != nil {
		panic("sno: " + err.Error())
	}
	if s.Now != s.WallHi {
		s.Sequence = uint32(s.SequenceMin) // as the next sno will have it
	}
	return GeneratorSnapshot{
		Partition:   s.Partition,
		SequenceMin: s.SequenceMin,
		SequenceMax: s.SequenceMax,
		Sequence:    s.Sequence,
		Now:         s.Now,
		WallHi:      s.WallHi,
		WallSafe:    s.WallSafe,
		Drifts:      s.Drifts,
	}
}

// ---- overflows ------------------------------------------------------------------------

// overflow counts the calls that wait for a sequence number, and sends notifications while there are any.
type overflow struct {
	to      chan<- *SequenceOverflowNotification
	lock    sync.Mutex
	waiting uint32
	telling bool
}

func (o *overflow) enter() {
	if o.to == nil {
		return
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	o.waiting++
	if !o.telling {
		o.telling = true
		go o.tell()
	}
}

func (o *overflow) leave() {
	if o.to == nil {
		return
	}
	o.lock.Lock()
	o.waiting--
	o.lock.Unlock()
}

// tell sends a notification in each unit, and one at the end. If the channel is full, it retries with the next tick.
func (o *overflow) tell() {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	unsent := false
	for ticks := uint32(1); ; ticks++ {
		now := <-ticker.C
		o.lock.Lock()
		waiting := o.waiting
		over := waiting == 0
		if over {
			o.telling = false
		}
		o.lock.Unlock()
		if unsent || over || ticks%4 == 1 {
			select {
			case o.to <- &SequenceOverflowNotification{Now: now, Count: waiting, Ticks: ticks}:
				unsent = false
			default:
				unsent = true
			}
		}
		if over {
			return
		}
	}
}

// ---- the generator of the package ---------------------------------------------------------

var generator *Generator

func init() { doInit() }

func doInit() {
	g, err := NewGenerator(nil, nil)
	if errors.Is(err, frazil.ENotBuilt) {
		g, err = &Generator{made: true}, nil // without cgo a program can still read snos; New fails with the reason
	}
	if err != nil {
		panic(err)
	}
	generator = g
}

// New returns a sno of the package's generator.
func New(meta byte) ID { return generator.New(meta) }

// NewWithTime returns a sno of the package's generator for the given time.
func NewWithTime(meta byte, t time.Time) ID { return generator.NewWithTime(meta, t) }
