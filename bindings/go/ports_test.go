// SPDX-License-Identifier: MIT

//go:build cgo

package frazil_test

// Goal of this test: a program can give worker ids itself, lease one, and hear what happens to a generator.

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	frazil "github.com/frazil/frazil-go"
)

// granter gives grants of an hour, the first of worker 21, as long as it is not told to refuse.
type granter struct {
	lock    sync.Mutex
	refuses error
	asked   int
	given   []string
}

func (g *granter) grant(what string, from int64, token uint64) (frazil.Grant, error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.asked++
	if g.refuses != nil {
		return frazil.Grant{}, g.refuses
	}
	g.given = append(g.given, what)
	return frazil.Grant{Worker: 21, FromUnixMs: from, EndUnixMs: from + 3600_000, Token: token}, nil
}

func (g *granter) Acquire(now int64) (frazil.Grant, error) { return g.grant("acquire", now, 5) }

func (g *granter) Extend(now int64, held frazil.Grant) (frazil.Grant, error) {
	return g.grant("extend", held.FromUnixMs, held.Token+1)
}

func (g *granter) Release(held frazil.Grant, usedEnd int64) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.given = append(g.given, fmt.Sprintf("release %d", held.Token))
	if usedEnd > held.EndUnixMs {
		g.given = append(g.given, "more than was held")
	}
}

func (g *granter) refuse(err error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.refuses = err
}

func (g *granter) said() string {
	g.lock.Lock()
	defer g.lock.Unlock()
	return strings.Join(g.given, ", ")
}

func TestAGranterOfTheProgramGivesTheWorkerID(t *testing.T) {
	source := &granter{}
	generator := opened(t, "layout=twitter", frazil.WithGranter(source), frazil.WithoutEnvironment())
	fields, err := generator.Layout().Decompose(generator.MustNext())
	same(t, fields.Worker, uint32(21), err)
	if health := generator.Health(); !health.NeedsGrant || generator.Info().State != frazil.StateGrant {
		t.Fatal(health)
	}
	generator.Close()
	same(t, source.said(), "acquire, release 5", nil)

	source.refuse(&frazil.Error{Code: frazil.EPool, Sentence: "the office is closed"})
	_, err = frazil.Open("layout=twitter", frazil.WithGranter(source), frazil.WithoutEnvironment())
	if !errors.Is(err, frazil.EPool) || !strings.Contains(err.Error(), "the office is closed") {
		t.Fatal(err)
	}
	// The time after which to ask again reaches the program. A sentence is cut where the library has no more room for it.
	source.refuse(&frazil.Error{Code: frazil.EPool, Sentence: "busy: " + strings.Repeat("x", 5000), Retry: 90 * time.Second})
	_, err = frazil.Open("layout=twitter open_wait=1ms", frazil.WithGranter(source), frazil.WithoutEnvironment())
	var e *frazil.Error
	if !errors.As(err, &e) || e.Retry != 90*time.Second || !strings.Contains(e.Sentence, "busy: xxx") || len(e.Sentence) > 1000 {
		t.Fatal(err)
	}
	source.refuse(&frazil.Error{Sentence: "an error without a code is no success"})
	spec := "layout=twitter open_wait=1ms"
	if g, err := frazil.Open(spec, frazil.WithGranter(source), frazil.WithoutEnvironment()); err == nil {
		t.Fatal(g.Info())
	}
	if err := frazil.Check("layout=twitter worker=fixed:7", frazil.WithGranter(source)); !errors.Is(err, frazil.ESpec) {
		t.Fatal(err)
	}
}

func TestALeaseIsANumberForATime(t *testing.T) {
	source := &granter{}
	lease, err := frazil.OpenLease("", frazil.WithGranter(source), frazil.WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	info, err := lease.Get()
	now := time.Now().UnixMilli()
	if err != nil || info.Worker != 21 || info.FromUnixMs > now || info.EndUnixMs <= now {
		t.Fatal(info, err)
	}
	if next, err := lease.Keep(); err != nil || next <= 0 {
		t.Fatal(next, err)
	}
	if err := lease.CloseUsed(time.Now()); err != nil {
		t.Fatal(err)
	}
	same(t, source.said(), "acquire, release 5", lease.Close())
	if _, err := lease.Get(); !errors.Is(err, frazil.EStopped) {
		t.Fatal(err)
	}
	if err := lease.Close(); err != nil {
		t.Fatal(err)
	}
	var none *frazil.Lease
	if _, err := none.Get(); !errors.Is(err, frazil.EInval) || !errors.Is(none.Close(), frazil.EInval) {
		t.Fatal(err)
	}
	if _, err := frazil.OpenLease("worker=fixed:7", frazil.WithoutEnvironment()); !errors.Is(err, frazil.ESpec) {
		t.Fatal(err)
	}
}

// The library reads the clock of a lease for as long as the lease is open, also when the program has forgotten the clock.
func TestALeaseKeepsItsClock(t *testing.T) {
	clock, err := frazil.NewManualClock(1780272000000)
	if err != nil {
		t.Fatal(err)
	}
	var collected int32
	runtime.SetFinalizer(clock, nil)
	runtime.SetFinalizer(clock, func(*frazil.ManualClock) { atomic.StoreInt32(&collected, 1) })
	lease, err := frazil.OpenLease("", frazil.WithGranter(&granter{}), frazil.WithClock(clock), frazil.WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	clock = nil
	for i := 0; i < 10; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if _, err := lease.Get(); err != nil || atomic.LoadInt32(&collected) != 0 {
		t.Fatal(err, collected)
	}
	lease.Close()
}

// A handle of C keeps the granter, and whoever is done with C's side drops it.
func TestAGranterIsKeptNoLongerThanItIsAsked(t *testing.T) {
	ends := map[string]func(frazil.Option, *granter) error{
		"generator": func(by frazil.Option, _ *granter) error {
			generator, err := frazil.Open("layout=twitter", by, frazil.WithoutEnvironment())
			if err != nil {
				return err
			}
			return generator.Close()
		},
		"lease": func(by frazil.Option, _ *granter) error {
			lease, err := frazil.OpenLease("", by, frazil.WithoutEnvironment())
			if err != nil {
				return err
			}
			return lease.Close()
		},
		"refusal": func(by frazil.Option, source *granter) error {
			source.refuse(&frazil.Error{Code: frazil.EPool, Sentence: "busy"})
			if _, err := frazil.Open("layout=twitter open_wait=0s", by, frazil.WithoutEnvironment()); err == nil {
				return errors.New("it was not refused")
			}
			return nil
		},
		"check": func(by frazil.Option, _ *granter) error {
			return frazil.Check("layout=twitter", by, frazil.WithoutEnvironment())
		},
	}
	for what, end := range ends {
		t.Run(what, func(t *testing.T) {
			collected := make(chan struct{})
			func() {
				source := &granter{}
				runtime.SetFinalizer(source, func(*granter) { close(collected) })
				if err := end(frazil.WithGranter(source), source); err != nil {
					t.Fatal(err)
				}
			}()
			frazil.AwaitCollected(t, collected)
		})
	}
}

// slow does not answer when a worker id is given back, until the test ends.
type slow struct {
	granter
	asked, answer chan struct{}
}

func (g *slow) Release(frazil.Grant, int64) {
	close(g.asked)
	<-g.answer
}

// All finalizers of a program run in one goroutine, those of its files too.
func TestAForgottenGeneratorHoldsUpNoFinalizer(t *testing.T) {
	opens := map[string]func(frazil.Option) error{
		"generator": func(by frazil.Option) error {
			_, err := frazil.Open("layout=twitter", by, frazil.WithoutEnvironment())
			return err
		},
		"lease": func(by frazil.Option) error {
			_, err := frazil.OpenLease("", by, frazil.WithoutEnvironment())
			return err
		},
	}
	for what, open := range opens {
		t.Run(what, func(t *testing.T) {
			source := &slow{asked: make(chan struct{}), answer: make(chan struct{})}
			defer close(source.answer)
			if err := open(frazil.WithGranter(source)); err != nil {
				t.Fatal(err)
			}
			frazil.AwaitCollected(t, source.asked)
			finalized := make(chan struct{})
			runtime.SetFinalizer(&granter{}, func(*granter) { close(finalized) })
			frazil.AwaitCollected(t, finalized)
		})
	}
}

func TestWhatHappensIsHeard(t *testing.T) {
	events := opened(t, "layout='38/10/12 epoch=2022-01-01' allow_short_life=yes worker=fixed:7 state=memory").Events()
	event, there := events.TryNext()
	if !there || event.Kind != frazil.EventWarnShortLife || event.Worker != 7 || event.Missed != 0 ||
		!strings.HasPrefix(event.String(), "warn-short-life worker=7 value=") {
		t.Fatal(event)
	}
	if _, there := events.TryNext(); there {
		t.Fatal("it comes twice")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if event, err := events.Next(ctx); err != context.DeadlineExceeded {
		t.Fatal(event, err)
	}
	var none *frazil.Events
	if _, err := none.Next(ctx); !errors.Is(err, frazil.EInval) {
		t.Fatal(err)
	}
	if _, there := new(frazil.Events).TryNext(); there {
		t.Fatal("an event of nothing")
	}
}

// The grant of a second is due soon, and there is nobody but the program to extend it.
type short struct{ granter }

func (g *short) Acquire(now int64) (frazil.Grant, error) {
	grant, err := g.granter.Acquire(now)
	grant.EndUnixMs = now + 1000
	return grant, err
}

func TestAnEventWakesWhoWaits(t *testing.T) {
	source := &short{}
	generator := opened(t, "layout=twitter keeper=hook", frazil.WithGranter(source), frazil.WithoutEnvironment())
	heard := make(chan frazil.Event)
	go func() {
		event, err := generator.Events().Next(context.Background())
		if err != nil {
			t.Error(err)
		}
		heard <- event
	}()
	source.refuse(errors.New("no answer from the office"))
	for {
		wait, err := generator.Keep()
		if err != nil || generator.Health().LastFailure != nil {
			break
		}
		time.Sleep(wait)
	}
	if event := <-heard; event.Kind != frazil.EventExtensionFailed || event.Code != frazil.EUnreachable {
		t.Fatal(event)
	}
	if why := generator.Health().LastFailure; why == nil || !strings.Contains(why.Error(), "no answer from the office") {
		t.Fatal(why)
	}
}

func TestKeepingWhileNobodyAnswersIsNoError(t *testing.T) {
	source := &short{}
	generator := opened(t, "layout=twitter keeper=hook", frazil.WithGranter(source), frazil.WithoutEnvironment())
	lease, err := frazil.OpenLease("layout=twitter keeper=hook", frazil.WithGranter(source), frazil.WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	source.refuse(errors.New("no answer from the office"))
	for generator.Health().LastFailure == nil {
		wait, err := generator.Keep()
		if err != nil || wait < 0 {
			t.Fatal(wait, err)
		}
		time.Sleep(wait)
	}
	for err == nil {
		if wait, err := lease.Keep(); err != nil && !errors.Is(err, frazil.ELease) {
			t.Fatal(wait, err)
		}
		time.Sleep(time.Millisecond)
		_, err = lease.Get()
	}
	if !errors.Is(err, frazil.ELease) || !strings.Contains(err.Error(), "no answer from the office") {
		t.Fatal(err)
	}
}

func TestWaitingForAnEventEndsWithTheGenerator(t *testing.T) {
	generator := opened(t, "worker=fixed:7 state=memory")
	ended := make(chan error)
	go func() {
		_, err := generator.Events().Next(context.Background())
		ended <- err
	}()
	time.Sleep(10 * time.Millisecond) // so that it is most likely waiting; in any case it ends
	generator.Close()
	if err := <-ended; !errors.Is(err, frazil.EStopped) {
		t.Fatal(err)
	}
}

func TestIDsAreRangedOver(t *testing.T) {
	generator := opened(t, "worker=fixed:7 state=memory")
	ids := seen{}
	generator.IDs()(func(id frazil.ID, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		ids.add(t, id)
		return len(ids) < 100
	})
	same(t, len(ids), 100, nil)
	generator.Close()
	rounds := 0
	generator.IDs()(func(id frazil.ID, err error) bool {
		rounds++
		return errors.Is(err, frazil.EStopped)
	})
	same(t, rounds, 1, nil)
}

func TestSnosAreTakenUntilAContextEnds(t *testing.T) {
	generator := opened(t, "layout=sno partition=4 seq_min=0 seq_max=9 state=memory max_wait=none")
	snos, err := generator.TakeSnos(context.Background(), 7, 35)
	if err != nil || len(snos) != 35 {
		t.Fatal(len(snos), err)
	}
	for i := 1; i < len(snos); i++ {
		if snos[i].Compare(snos[i-1]) <= 0 || snos[i].Fields().Meta != 7 {
			t.Fatalf("%v does not follow %v", snos[i], snos[i-1])
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := generator.TakeSnos(ended, 7, 1000); err != context.Canceled {
		t.Fatal(err)
	}
	if _, err := generator.TakeSnos(ended, 7, -1); !errors.Is(err, frazil.EInval) {
		t.Fatal(err)
	}
	if _, err := opened(t, "worker=fixed:8 state=memory").TakeSnos(ended, 7, 1); !errors.Is(err, frazil.EKind) {
		t.Fatal(err)
	}
}

func TestATryForASnoSaysWhenToComeBack(t *testing.T) {
	generator := opened(t, "layout=sno partition=4 seq_min=0 seq_max=9 state=memory")
	var err error
	for err == nil {
		_, err = generator.TryNextSno(7)
	}
	var e *frazil.Error
	if !errors.As(err, &e) || e.Code != frazil.EAgain || e.Retry <= 0 || e.Retry > 4*time.Millisecond {
		t.Fatal(err)
	}
}

// More units than pass while nobody waits: the first snos are written before the error, which wipes them.
func TestASliceHoldsNoSnosAfterAnError(t *testing.T) {
	generator := opened(t, "layout=sno partition=4 seq_min=0 seq_max=9 state=memory max_wait=0ms")
	snos := make([]frazil.Sno, 35000)
	if err := generator.FillSnos(7, snos); !errors.Is(err, frazil.Retry) {
		t.Fatal(err)
	}
	for i, sno := range snos {
		if !sno.IsZero() {
			t.Fatal(i, sno)
		}
	}
}

// Only waits of the library move a manual clock on, so a full tick would be waited for without end in real time.
func TestBatchesMoveAManualClockOn(t *testing.T) {
	clock, err := frazil.NewManualClock(1780272000000)
	if err != nil {
		t.Fatal(err)
	}
	hang, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	ended, end := context.WithCancel(context.Background())
	end()
	numbers := opened(t, "layout=41/10/4 worker=fixed:7 state=memory max_wait=none", frazil.WithClock(clock))
	ids, err := numbers.Take(hang, 100)
	if err != nil {
		t.Fatal(err)
	}
	seen{}.add(t, ids...)
	if _, err := numbers.Take(ended, 100); err != context.Canceled {
		t.Fatal(err)
	}
	texts := opened(t, "layout=sno partition=4 seq_min=0 seq_max=9 state=memory max_wait=none", frazil.WithClock(clock))
	snos, err := texts.TakeSnos(hang, 7, 35)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(snos); i++ {
		if snos[i].Compare(snos[i-1]) <= 0 {
			t.Fatalf("%v does not follow %v", snos[i], snos[i-1])
		}
	}
	if _, err := texts.TakeSnos(ended, 7, 100); err != context.Canceled {
		t.Fatal(err)
	}
}

// A frozen clock never comes to the next tick.
func TestBatchesOfAFrozenClockEndWithTheTick(t *testing.T) {
	hang, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	const frozen = " clock=frozen:2026-06-01T00:00:00Z"
	if ids, err := opened(t, "layout=41/10/4 worker=fixed:7"+frozen).Take(hang, 17); !errors.Is(err, frazil.EFull) {
		t.Fatal(ids, err)
	}
	snos, err := opened(t, "layout=sno partition=4 seq_min=0 seq_max=9"+frozen).TakeSnos(hang, 7, 11)
	if !errors.Is(err, frazil.EFull) {
		t.Fatal(snos, err)
	}
}
