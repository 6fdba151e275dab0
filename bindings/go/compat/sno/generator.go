// SPDX-License-Identifier: MIT

// Package sno has the names of github.com/muyo/sno: change the import, and snos come from frazil.
//
// A generator with a partition of the caller's keeps its state on the host. Generators with one partition and one sequence pool
// share one sequence, in one process or in many, also after a restart. FRAZIL_STATE=memory in the environment turns that off,
// and another process is then refused the partition.
//
// New of that module cannot fail. Here it panics with a sentence if there is no sno for ten seconds, unless an overflow is the
// reason. Texts with characters outside of 2-9a-x, and times outside of an ID's range, are errors.
package sno

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	frazil "github.com/frazil/frazil-go"
)

// GeneratorSnapshot configures a generator, and is the state of one, to go on from. Times are in TimeUnit since Epoch.
type GeneratorSnapshot struct {
	Partition   Partition `json:"partition"`
	SequenceMin uint16    `json:"sequenceMin"` // both are included, and may be given in either order; 0 and 0 stand for all
	SequenceMax uint16    `json:"sequenceMax"`
	Sequence    uint32    `json:"sequence"` // the last one issued; 0 stands for SequenceMin
	Now         int64     `json:"now"`      // when it was taken
	WallHi      int64     `json:"wallHi"`   // the unit of the last sno
	WallSafe    int64     `json:"wallSafe"` // the clock may not go back to this or below it without waiting
	Drifts      uint32    `json:"drifts"`   // how often the clock went back
}

// SequenceOverflowNotification is sent while a generator has not as many sequence numbers as it is asked for.
type SequenceOverflowNotification struct {
	Now   time.Time // the time of the tick
	Count uint32    // how many calls wait now
	Ticks uint32    // for how many ticks it has lasted, of about a millisecond each
}

// InvalidSequenceBoundsError says what is wrong with a snapshot's sequence numbers.
type InvalidSequenceBoundsError struct {
	Cur uint32
	Min uint16
	Max uint16
	Msg string
}

// Error is the sentence.
func (e *InvalidSequenceBoundsError) Error() string {
	return fmt.Sprintf("sno: %s; min: %d, sequence: %d, max: %d, pool: %d", e.Msg, e.Min, e.Cur, e.Max, e.Max-e.Min+1)
}

// PartitionPoolExhaustedError says that the process has as many generators without a partition of the caller's as there are
// partitions.
type PartitionPoolExhaustedError struct{}

// Error is the sentence.
func (e *PartitionPoolExhaustedError) Error() string {
	return "sno: process exceeded maximum number of possible defaults-configured generators"
}

const (
	// poolMin is the smallest pool of sequence numbers. sno's sentence says 4, and sno refuses 4 and 5, also.
	poolMin = 6
	// patience is how long New waits, unless for a sequence number, before it panics.
	patience = 10 * time.Second
	// collections are as many as NewGenerator tries before it says that others have the pool.
	collections = 5
	// tick is how often an overflow is looked at.
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

// pool is what two generators must not have in common, unless they share it.
type pool struct {
	partition Partition
	min, max  uint16
}

// living are the generators of the library by their pool, as long as one of ours has them: so one that goes on from a snapshot
// shares the sequence with the one that it was taken of.
var living = struct {
	sync.Mutex
	of map[pool]*lived
}{of: make(map[pool]*lived)}

type lived struct {
	inner *frazil.Generator
	users int
}

// join has g use the generator of its pool, which is opened if there is none. It leaves when it is collected.
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

// part ends that.
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

// Close gives the partition back, when no other generator has it: the last call. sno has no such method; a generator that is
// forgotten is closed when it is collected.
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

// nextPartition is one that nobody else in this process has who asked for one: frazil draws each of them once, also for its own
// generators of snos.
func nextPartition() (p Partition, err error) {
	drawn, err := frazil.Open("layout=sno", frazil.WithoutEnvironment())
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

// NewGenerator makes a generator. Without a snapshot it has a partition of its own within the process. Overflows are sent to
// the channel, which may be nil; what it has no room for is dropped.
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
		// One that is forgotten may have the pool, or overlap with it: it gives that up when it is collected.
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
		// One that shares the sequence has used some of this unit's numbers. A new generator begins with all of them.
		time.Sleep(TimeUnit)
	}
	return g, nil
}

// isBehind says whether the other one is of a later state.
func (s GeneratorSnapshot) isBehind(other *GeneratorSnapshot) bool {
	return s.Drifts < other.Drifts || s.Drifts == other.Drifts && s.WallHi < other.WallHi
}

// sanitise puts the bounds in order, and refuses those that are of no use.
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

// generator opens one. A snapshot that was never a generator's is a configuration: those that are equal share a generator.
func (s *GeneratorSnapshot) generator() (*frazil.Generator, error) {
	if s.WallHi == 0 && s.WallSafe == 0 && s.Drifts == 0 && s.Sequence == uint32(s.SequenceMin) {
		return frazil.OpenShared(fmt.Sprintf("layout=sno partition=%d seq_min=%d seq_max=%d", s.Partition.AsUint16(),
			s.SequenceMin, s.SequenceMax))
	}
	return s.opened()
}

// opened goes on from it. Such a generator keeps no state, and holds its partition within this process alone.
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

// gen is the generator, opened by the first who needs it.
func (g *Generator) gen() *frazil.Generator {
	g.open.Do(func() {
		if !g.made {
			panic("sno: the generator was not made by NewGenerator")
		}
		// Another process may have drawn the same partition, and New cannot fail: so it claims nothing on the host.
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

// New is the next sno, with a metabyte. While the sequence overflows it waits.
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
			// A sequence number comes with the next unit, however many wait for it.
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

// NewWithTime is a sno for a time of the caller's, with a sequence of its own, which rolls over silently. It panics for a time
// that an ID cannot have.
func (g *Generator) NewWithTime(meta byte, t time.Time) ID {
	defer runtime.KeepAlive(g) // it closes the inner one when it is collected
	id, err := g.gen().NextSnoAt(meta, t)
	if err != nil {
		panic("sno: " + err.Error())
	}
	return ID(id)
}

// Partition is the generator's partition.
func (g *Generator) Partition() Partition { return g.pool.partition }

// Sequence is the last number issued in this unit, or SequenceMin.
func (g *Generator) Sequence() uint32 { return g.Snapshot().Sequence }

func (g *Generator) info() frazil.Info {
	defer runtime.KeepAlive(g)
	return g.gen().Info()
}

// SequenceMin is the lowest number that its sequence takes.
func (g *Generator) SequenceMin() uint16 { return uint16(g.info().SequenceMin) }

// SequenceMax is the highest.
func (g *Generator) SequenceMax() uint16 { return uint16(g.info().SequenceMax) }

// Len is how many numbers of this unit are used.
func (g *Generator) Len() int { return int(g.info().Length) }

// Cap is how many a unit has.
func (g *Generator) Cap() int { return int(g.info().Capacity) }

// Snapshot is the generator's state. It goes stale with the next sno.
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

// overflow counts the calls that wait for a sequence number, and tells of them as long as there are any.
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

// tell sends one in each unit, and one when it is over. What the channel has no room for is tried again with the next tick.
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
		g, err = &Generator{made: true}, nil // without cgo a program can still read snos: New says what to do
	}
	if err != nil {
		panic(err)
	}
	generator = g
}

// New is a sno of the package's generator.
func New(meta byte) ID { return generator.New(meta) }

// NewWithTime is a sno of the package's generator for a time of the caller's.
func NewWithTime(meta byte, t time.Time) ID { return generator.NewWithTime(meta, t) }
