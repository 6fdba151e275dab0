// SPDX-License-Identifier: MIT

// Package frazil makes unique, time-ordered ids of any Snowflake layout, and 80-bit snos. It never issues a duplicate: not after
// a restart or a crash, not in a child process, and not after the clock went back.
//
//	generator, err := frazil.Open("worker=fixed:7")
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer generator.Close()
//	id, err := generator.Next()
//
// A spec is a text of key=value pairs: the layout, the source of the worker id, what happens when a tick is full, and more. The
// manual page frazil.spec(5) lists all keys.
//
// The packages compat/snowflake and compat/sno have the names of the modules that they replace.
package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/frazil/frazil-go/internal/fastpath"
)

// boxed returns a C pointer in the form that free takes.
func boxed(p *C.char) unsafe.Pointer { return unsafe.Pointer(p) }

// Version returns the version of the loaded library, such as "1.2.3".
func Version() string { return C.GoString(C.frazil_version()) }

// closedBit is set in Generator.calls once the generator is closed; the bits below it count the running calls.
const closedBit = int64(-1) << 62

// Generator makes ids. Any number of goroutines may use it at once. A call that waits occupies no thread.
type Generator struct {
	raw      *C.frazil
	fast     fastpath.Path // into memory of raw; nothing once it is closed
	calls    atomic.Int64  // see closedBit
	maxWait  time.Duration
	sleepsIn bool
	asks     bool // the slots are a coordinator's (state=URL): a call that never waits may have to ask it
	clock    *ManualClock
	granter  handle
	snos     bool
	close    sync.Once
	shared   bool
	gone     chan struct{} // closed by Close, to end waits
	idle     chan struct{} // closed when the last call has ended after Close
}

// Open opens a generator. Environment variables FRAZIL_* supply what the spec leaves out. Close the generator when it is no longer
// needed; one that is not closed is closed when it is collected.
func Open(spec string, given ...Option) (*Generator, error) {
	return open(spec, given, func(g *Generator, p prepared, why *C.frazil_error) C.frazil_err {
		return C.frazil_open_with(&g.raw, p.raw, why)
	})
}

// OpenShared is like Open, but calls of this process whose specs and options mean the same share one generator. It is for packages
// that open a generator wherever they need an id. It refuses a clock, a snapshot and a granter, as another call could not name
// them to find the generator.
func OpenShared(spec string, given ...Option) (*Generator, error) {
	return open(spec, given, func(g *Generator, p prepared, why *C.frazil_error) C.frazil_err {
		g.shared = true
		return C.frazil_open_shared_with(&g.raw, p.raw, why)
	})
}

func open(spec string, given []Option, by func(*Generator, prepared, *C.frazil_error) C.frazil_err) (*Generator, error) {
	p, o, err := prepare(spec, given)
	if err != nil {
		return nil, err
	}
	defer C.frazil_options_close(p.raw)
	g := &Generator{maxWait: p.maxWait, sleepsIn: p.sleepsIn, clock: o.clock, granter: p.granter}
	var why C.frazil_error
	if err := by(g, p, &why); err != C.FRAZIL_OK {
		p.granter.drop()
		return nil, errorFrom(err, &why)
	}
	return g.opened(), nil
}

func (g *Generator) opened() *Generator {
	var info C.frazil_info
	C.frazil_get_info(g.raw, &info, C.sizeof_frazil_info)
	g.snos = info.id_size == C.FRAZIL_SNO_SIZE
	g.asks = info.state == C.FRAZIL_STATE_SLOTS
	var path C.frazil_fast_path
	C.frazil_get_fast_path(g.raw, &path, C.sizeof_frazil_fast_path)
	g.fast = fastpath.New(uint32(path.form), uint32(path.shift), uint64(path.capacity),
		unsafe.Pointer(path.word), unsafe.Pointer(path.anchor))
	g.gone, g.idle = make(chan struct{}), make(chan struct{})
	runtime.SetFinalizer(g, func(g *Generator) { forget(g.Close) })
	return g
}

// isNone reports whether the generator was never opened; the library must not see it then.
func (g *Generator) isNone() bool { return g == nil || g.raw == nil }

// enter begins a call. It returns false if the generator is closed or was never opened.
func (g *Generator) enter() bool {
	if g.isNone() {
		return false
	}
	if g.calls.Add(1) > 0 {
		return true
	}
	g.leave()
	return false
}

// leave ends a call.
func (g *Generator) leave() {
	if g.calls.Add(-1) == closedBit {
		select {
		case <-g.idle:
		default:
			g.ended()
		}
	}
}

var endings sync.Mutex

// ended signals, once, that no call is running any more.
func (g *Generator) ended() {
	endings.Lock()
	defer endings.Unlock()
	select {
	case <-g.idle:
	default:
		close(g.idle)
	}
}

// closed returns the error of a call to a generator that is closed or was never opened.
func (g *Generator) closed() error {
	if g.isNone() {
		return newError(EInval, "the generator was not opened: make one with Open")
	}
	return newError(EStopped, "the generator is closed: open another one")
}

// Close gives the worker id back and frees the generator. It lets running calls end first; those that wait fail with EStopped, as
// do later calls. With state=URL it also waits for the answer to a request that a call has left behind, up to the URL's timeout.
// Close may be called several times.
func (g *Generator) Close() error {
	if g.isNone() {
		return g.closed()
	}
	g.close.Do(func() {
		runtime.SetFinalizer(g, nil)
		close(g.gone)
		if !g.shared { // other users continue with a shared one
			C.frazil_stop(g.raw)
		}
		if g.calls.Add(closedBit) != closedBit {
			<-g.idle
		}
		g.fast = fastpath.Path{} // Go may reuse the addresses of C's memory
		C.frazil_close(g.raw)
		g.granter.drop()
		runtime.KeepAlive(g.clock)
	})
	return nil
}

// forgotten holds the closings of generators and leases that were collected. All finalizers of a program run in one goroutine,
// which a coordinator that does not answer would hold up. So another goroutine closes them, one after the other.
var forgotten struct {
	sync.Mutex
	closings []func() error
	running  bool
}

// forget has that goroutine close something.
func forget(closing func() error) {
	forgotten.Lock()
	defer forgotten.Unlock()
	forgotten.closings = append(forgotten.closings, closing)
	if !forgotten.running {
		forgotten.running = true
		go closeForgotten()
	}
}

func closeForgotten() {
	for {
		forgotten.Lock()
		if len(forgotten.closings) == 0 {
			forgotten.closings, forgotten.running = nil, false
			forgotten.Unlock()
			return
		}
		closing := forgotten.closings[0]
		forgotten.closings[0] = nil // the array stays, and it would keep what was closed
		forgotten.closings = forgotten.closings[1:]
		forgotten.Unlock()
		closing()
	}
}

// Stop makes each waiting call and each later one fail with EStopped. Info, Stats and Health still work, and the generator must
// still be closed.
func (g *Generator) Stop() {
	if g.enter() {
		C.frazil_stop(g.raw)
		g.leave()
	}
}

// ---- waiting --------------------------------------------------------------------------

// pollEvery is how often a call retries if the time of the next try is unknown.
const pollEvery = 20 * time.Millisecond

// unbound stands for the context of a call that has none; max_wait limits such a call.
var unbound context.Context

// worthWaiting reports whether a call that failed with err can succeed later.
func worthWaiting(err C.frazil_err) bool {
	return err == C.FRAZIL_EAGAIN || err == C.FRAZIL_ELEASE || err == C.FRAZIL_EUNREACHABLE
}

// wait sleeps until it is time to retry. It returns false if that is after the deadline; a zero deadline means none. The error
// is what ended the wait.
func (g *Generator) wait(ctx context.Context, retry time.Duration, deadline time.Time) (bool, error) {
	if retry <= 0 {
		retry = pollEvery
	}
	if !deadline.IsZero() && time.Now().Add(retry).After(deadline) {
		return false, nil
	}
	if retry > time.Second {
		retry = time.Second // meanwhile the clock can be corrected, or the generator stopped
	}
	var ended <-chan struct{}
	if ctx != nil {
		ended = ctx.Done()
	}
	timer := time.NewTimer(retry)
	defer timer.Stop()
	select {
	case <-ended:
		return false, ctx.Err()
	case <-g.gone:
		return false, g.closed()
	case <-timer.C:
		return true, nil
	}
}

// deadline returns the time until which a call that begins now may wait.
func (g *Generator) deadline() time.Time {
	if g.maxWait < 0 {
		return time.Time{}
	}
	return time.Now().Add(g.maxWait)
}

// ---- 64-bit ids -----------------------------------------------------------------------

// Next returns one id. It waits at most as long as the key max_wait allows.
func (g *Generator) Next() (ID, error) {
	if !g.enter() {
		return 0, g.closed()
	}
	if id, taken := g.fast.Take(); taken {
		g.leave()
		return ID(id), nil
	}
	return g.nextByCall()
}

// nextByCall is Next by a call of C. The caller has entered.
func (g *Generator) nextByCall() (ID, error) {
	if g.sleepsIn {
		return g.nextIn()
	}
	if g.asks {
		return g.nextInHand()
	}
	r := C.shim_try_next(g.raw)
	g.leave()
	if r.err == C.FRAZIL_OK {
		return ID(r.id), nil
	}
	ids := [1]ID{}
	err := g.fill(unbound, ids[:], r.err, time.Duration(r.retry_ns))
	return ids[0], err
}

// nextInHand asks the coordinator only if no slot is in hand. The caller has entered.
func (g *Generator) nextInHand() (ID, error) {
	r := C.shim_next_in_hand(g.raw)
	g.leave()
	if r.err == C.FRAZIL_OK {
		return ID(r.id), nil
	}
	ids := [1]ID{}
	err := g.fill(unbound, ids[:], C.FRAZIL_OK, 0)
	return ids[0], err
}

// nextIn waits in the library, for a clock that is not real.
func (g *Generator) nextIn() (ID, error) {
	defer g.leave()
	return g.explain(C.shim_next(g.raw))
}

// explain returns the id of a call, or asks once more for the reason why there is none. The caller has entered.
func (g *Generator) explain(r C.shim_id) (ID, error) {
	if r.err == C.FRAZIL_OK {
		return ID(r.id), nil
	}
	ids := [1]ID{}
	if why := g.take(ids[:], g.askingNobody()); why != nil {
		return 0, explained(Code(r.err), why)
	}
	return ids[0], nil
}

// MustNext is like Next, but panics with the error's sentence, for programs that cannot continue without an id.
func (g *Generator) MustNext() ID {
	id, err := g.Next()
	if err != nil {
		panic("frazil: there is no id: " + err.Error())
	}
	return id
}

// TryNext returns one id without waiting. It returns EAgain if none is free now; Error.Retry tells when to retry. With state=URL it
// asks the coordinator if no slot is in hand, within the URL's timeout.
func (g *Generator) TryNext() (ID, error) {
	if !g.enter() {
		return 0, g.closed()
	}
	defer g.leave()
	if id, taken := g.fast.Take(); taken {
		return ID(id), nil
	}
	return g.explain(C.shim_try_next(g.raw))
}

// take calls the library's take, which fills in the reason of an error. The caller has entered.
func (g *Generator) take(ids []ID, waitNs C.uint64_t) error {
	var why C.frazil_error
	if len(ids) == 0 {
		return nil
	}
	at := (*C.uint64_t)(unsafe.Pointer(&ids[0]))
	return errorFrom(C.frazil_take(g.raw, at, C.size_t(len(ids)), waitNs, &why), &why)
}

// Fill fills the slice with increasing ids. They may span several ticks; for each tick it waits at most as long as max_wait
// allows. After an error the slice holds no ids.
func (g *Generator) Fill(ids []ID) error {
	if g.isNone() {
		return g.closed()
	}
	if g.sleepsIn {
		if !g.enter() {
			return g.closed()
		}
		defer g.leave()
		return g.fillIn(ids)
	}
	return g.fill(unbound, ids, C.FRAZIL_OK, 0)
}

func (g *Generator) fillIn(ids []ID) error {
	if len(ids) == 0 {
		return nil
	}
	return g.take(ids, C.FRAZIL_WAIT_DEFAULT)
}

// Take returns n ids. It waits until the context ends, and ignores max_wait. Its waits advance a ManualClock.
func (g *Generator) Take(ctx context.Context, n int) ([]ID, error) {
	if g.isNone() {
		return nil, g.closed()
	}
	if n < 0 {
		return nil, newError(EInval, "a number of ids is not negative")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ids := make([]ID, n)
	if err := g.fill(ctx, ids, C.FRAZIL_OK, 0); err != nil {
		return nil, err
	}
	return ids, nil
}

// fill takes ids as they become free, and waits without a thread. Without a context each wait lasts at most as long as max_wait
// allows. failed is what the first try returned, and retry the time after which to retry.
func (g *Generator) fill(ctx context.Context, ids []ID, failed C.frazil_err, retry time.Duration) error {
	left := ids
	var deadline time.Time
	for len(left) > 0 {
		if g.asks && ctx == nil && deadline.IsZero() {
			deadline = g.deadline() // the answer itself may be long in coming
		}
		if failed != C.FRAZIL_OK {
			if ctx == nil && deadline.IsZero() {
				deadline = g.deadline()
			}
			more, err := g.again(ctx, failed, retry, deadline, left[:1])
			if err != nil {
				wipe(ids)
				return err
			}
			if more {
				left = left[1:]
				failed = C.FRAZIL_OK
				continue
			}
		}
		t, err := g.try(ctx, left, deadline)
		if err != nil {
			wipe(ids)
			return err
		}
		left = left[t.n:]
		failed, retry = t.err, t.retry
		if t.n > 0 { // the next try tells why the rest is missing: time, or a policy
			deadline = time.Time{}
		}
	}
	return nil
}

// tried is what a call that never waits has taken, or why nothing.
type tried struct {
	n     int
	retry time.Duration
	err   C.frazil_err
}

// try takes the ids that are free now.
func (g *Generator) try(ctx context.Context, ids []ID, deadline time.Time) (tried, error) {
	if g.asks {
		return g.ask(ctx, ids, deadline)
	}
	if !g.enter() {
		return tried{}, g.closed()
	}
	defer g.leave()
	return g.tryTake(ids), nil
}

// tryTake takes the ids that are free now. The caller has entered.
func (g *Generator) tryTake(ids []ID) tried {
	r := C.shim_try_take(g.raw, (*C.uint64_t)(unsafe.Pointer(&ids[0])), C.size_t(len(ids)))
	return tried{int(r.n), time.Duration(r.retry_ns), r.err}
}

// askedMost is how many ids a try takes where the coordinator may have to be asked: each try has memory of its own.
const askedMost = 4096

// ask is try where the coordinator may have to be asked, which takes up to the URL's timeout. The call does not wait for longer than
// it may: it leaves the request to a goroutine, and what that brings stays unused. Meanwhile no other request is made. With
// max_wait=0 it waits for nothing but the answer, as a call that never waits does.
func (g *Generator) ask(ctx context.Context, ids []ID, deadline time.Time) (tried, error) {
	if !g.enter() {
		return tried{}, g.closed()
	}
	if len(ids) > askedMost {
		ids = ids[:askedMost]
	}
	own := make([]ID, len(ids))
	answer := make(chan tried, 1)
	go func() {
		defer g.leave()
		answer <- g.tryTake(own)
	}()
	var ended <-chan struct{}
	if ctx != nil {
		ended = ctx.Done()
	}
	var over <-chan time.Time
	if !deadline.IsZero() && g.maxWait > 0 {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case t := <-answer:
		copy(ids, own[:t.n])
		return t, nil
	case <-ended:
		return tried{}, ctx.Err()
	case <-g.gone:
		return tried{}, g.closed()
	case <-over:
		return tried{err: C.FRAZIL_EAGAIN}, nil
	}
}

func wipe[T ID | Sno](ids []T) {
	var none T
	for i := range ids {
		ids[i] = none
	}
}

// again waits for the next try. If there must be none, it returns the reason, or true if it has taken an id meanwhile.
func (g *Generator) again(ctx context.Context, failed C.frazil_err, retry time.Duration, deadline time.Time, one []ID) (bool, error) {
	if g.sleepsIn && failed == C.FRAZIL_EAGAIN {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	} else if worthWaiting(failed) {
		goOn, err := g.wait(ctx, retry, deadline)
		if goOn || err != nil {
			return false, err
		}
	}
	if !g.enter() {
		return false, g.closed()
	}
	defer g.leave()
	if why := g.take(one, g.lastWait(failed)); why != nil {
		if failed != C.FRAZIL_EAGAIN {
			return false, explained(Code(failed), why)
		}
		return false, why
	}
	return true, nil
}

// lastWait returns how long the library may wait, in ns, after a try that failed with this error.
func (g *Generator) lastWait(failed C.frazil_err) C.uint64_t {
	if g.sleepsIn && failed == C.FRAZIL_EAGAIN {
		return C.FRAZIL_WAIT_FOREVER // only the library's waits advance this clock; a wait on a frozen clock fails at once
	}
	return g.reasonWait(failed)
}

// briefly is a wait, in ns, after which the library gives the real reason instead of "not now". In it no coordinator is asked.
const briefly = 1

// reasonWait returns a wait, in ns, after which the library gives the real reason of such an error.
func (g *Generator) reasonWait(failed C.frazil_err) C.uint64_t {
	if failed == C.FRAZIL_EAGAIN {
		return briefly
	}
	return g.askingNobody()
}

// askingNobody returns the wait, in ns, of a call that does not wait, and asks no coordinator.
func (g *Generator) askingNobody() C.uint64_t {
	if !g.isNone() && g.asks {
		return briefly
	}
	return 0
}

// NextAt returns an id for the given time, to import old records. The caller must keep such ids apart from live ones.
func (g *Generator) NextAt(t time.Time) (ID, error) {
	if !g.enter() {
		return 0, g.closed()
	}
	defer g.leave()
	var id C.uint64_t
	var why C.frazil_error
	err := C.frazil_next_at(g.raw, C.int64_t(t.UnixMilli()), &id, &why)
	return ID(id), errorFrom(err, &why)
}

// ---- snos -----------------------------------------------------------------------------

// NextSno returns one sno with this metabyte; the generator must have layout=sno. It waits as Next does.
func (g *Generator) NextSno(meta byte) (Sno, error) {
	if g.isNone() {
		return Sno{}, g.closed()
	}
	if g.sleepsIn {
		return g.nextSnoIn(meta)
	}
	sno, retry, code := g.trySno(meta)
	if code == C.FRAZIL_OK {
		return sno, nil
	}
	for deadline := g.deadline(); worthWaiting(code); {
		if goOn, _ := g.wait(unbound, retry, deadline); !goOn {
			break
		}
		if sno, retry, code = g.trySno(meta); code == C.FRAZIL_OK {
			return sno, nil
		}
	}
	return g.explainSno(meta, code, g.reasonWait(code))
}

func (g *Generator) trySno(meta byte) (Sno, time.Duration, C.frazil_err) {
	if !g.enter() {
		return Sno{}, 0, C.FRAZIL_ESTOPPED
	}
	r := C.shim_sno_try_next(g.raw, C.uint8_t(meta))
	g.leave()
	return snoOf(r.sno), time.Duration(r.retry_ns), r.err
}

func (g *Generator) nextSnoIn(meta byte) (Sno, error) {
	if !g.enter() {
		return Sno{}, g.closed()
	}
	r := C.shim_sno_next(g.raw, C.uint8_t(meta))
	g.leave()
	if r.err == C.FRAZIL_OK {
		return snoOf(r.sno), nil
	}
	return g.explainSno(meta, r.err, g.reasonWait(r.err))
}

// explainSno returns the reason why there was no sno, or a sno that has become free meanwhile.
func (g *Generator) explainSno(meta byte, failed C.frazil_err, waitNs C.uint64_t) (Sno, error) {
	if !g.enter() {
		return Sno{}, g.closed()
	}
	defer g.leave()
	var sno C.frazil_sno
	var why C.frazil_error
	err := C.frazil_sno_take(g.raw, C.uint8_t(meta), &sno, 1, waitNs, &why)
	if err == C.FRAZIL_OK {
		return snoOf(sno), nil
	}
	if failed != C.FRAZIL_EAGAIN {
		return Sno{}, explained(Code(failed), errorFrom(err, &why))
	}
	return Sno{}, errorFrom(err, &why)
}

// TryNextSno returns one sno without waiting. It returns EAgain if none is free now.
func (g *Generator) TryNextSno(meta byte) (Sno, error) {
	sno, retry, code := g.trySno(meta)
	if code == C.FRAZIL_OK {
		return sno, nil
	}
	if code == C.FRAZIL_EAGAIN {
		e := newError(EAgain, EAgain.Error())
		e.Retry = retry
		return Sno{}, e
	}
	return g.explainSno(meta, code, g.reasonWait(code))
}

// FillSnos fills the slice with increasing snos. It waits as Fill does. After an error the slice holds no snos.
func (g *Generator) FillSnos(meta byte, snos []Sno) error {
	err := g.fillSnos(meta, snos)
	if err != nil {
		wipe(snos)
	}
	return err
}

func (g *Generator) fillSnos(meta byte, snos []Sno) error {
	for left := snos; len(left) > 0; {
		if g.isNone() {
			return g.closed()
		}
		if g.sleepsIn {
			return g.fillSnosIn(meta, left)
		}
		if !g.enter() {
			return g.closed()
		}
		r := C.shim_sno_try_take(g.raw, C.uint8_t(meta), unsafe.Pointer(&left[0]), C.size_t(len(left)))
		g.leave()
		left = left[r.n:]
		if r.n > 0 {
			continue
		}
		sno, err := g.NextSno(meta)
		if err != nil {
			return err
		}
		left[0], left = sno, left[1:]
	}
	return nil
}

func (g *Generator) fillSnosIn(meta byte, snos []Sno) error {
	if !g.enter() {
		return g.closed()
	}
	defer g.leave()
	at := (*C.frazil_sno)(unsafe.Pointer(&snos[0]))
	var why C.frazil_error
	return errorFrom(C.frazil_sno_take(g.raw, C.uint8_t(meta), at, C.size_t(len(snos)), C.FRAZIL_WAIT_DEFAULT, &why), &why)
}

// NextSnoAt is NextAt for snos; the tick-tock bit is 0.
func (g *Generator) NextSnoAt(meta byte, t time.Time) (Sno, error) {
	if !g.enter() {
		return Sno{}, g.closed()
	}
	defer g.leave()
	var sno C.frazil_sno
	var why C.frazil_error
	err := C.frazil_sno_next_at(g.raw, C.int64_t(t.UnixMilli()), C.uint8_t(meta), &sno, &why)
	return snoOf(sno), errorFrom(err, &why)
}

// Snapshot returns the state of a sno generator, from which WithSnapshot continues. The next sno makes it stale.
func (g *Generator) Snapshot() (Snapshot, error) {
	if !g.enter() {
		return Snapshot{}, g.closed()
	}
	defer g.leave()
	var written [C.FRAZIL_SNO_SNAPSHOT_SIZE]C.char
	var n C.size_t
	if err := C.frazil_sno_snapshot(g.raw, &written[0], C.FRAZIL_SNO_SNAPSHOT_SIZE, &n); err != C.FRAZIL_OK {
		return Snapshot{}, errorOf(err)
	}
	return snapshotOf(C.GoStringN(&written[0], C.int(n)))
}
