// SPDX-License-Identifier: MIT

//go:build cgo

package frazil

// Goal of this test: what a program cannot see from outside holds: alignment, the end of the fast path, and failing waits.

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/frazil/frazil-go/internal/fastpath"
)

// AwaitCollected waits for something that a collection causes.
func AwaitCollected(t *testing.T, caused <-chan struct{}) {
	t.Helper()
	hang := time.After(5 * time.Minute)
	for {
		runtime.GC()
		select {
		case <-caused:
			return
		case <-hang:
			t.Fatal("nothing was collected")
		case <-time.After(time.Millisecond):
		}
	}
}

// Of three closings in a row the first two have returned, and the third has not.
func TestWhatWasClosedIsNotKept(t *testing.T) {
	first, third, reached := make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer close(third)
	collected := make(chan struct{})
	forget(func() error { <-first; return nil })
	func() {
		closed := &Generator{}
		runtime.SetFinalizer(closed, func(*Generator) { close(collected) })
		forget(closed.Close)
	}()
	forget(func() error { close(reached); <-third; return nil })
	close(first)
	<-reached
	AwaitCollected(t, collected)
}

func openedHere(t *testing.T) *Generator {
	t.Helper()
	g, err := Open("worker=fixed:7 state=memory host_dir="+filepath.Join(t.TempDir(), "host"), WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// Processors of 32 bits align an int64 to four bytes only, and an atomic addition to it panics there.
func TestTheCounterOfCallsIsAlignedOn32Bits(t *testing.T) {
	calls, found := reflect.TypeOf(Generator{}).FieldByName("calls")
	if !found || calls.Type != reflect.TypeOf(atomic.Int64{}) {
		t.Fatal(calls)
	}
}

// The memory that a fast path points into is C's. Go may use the same addresses once C has freed it.
func TestAClosedGeneratorHasNoFastPath(t *testing.T) {
	g := openedHere(t)
	if _, err := g.Next(); err != nil {
		t.Fatal(err)
	}
	g.Close()
	if g.fast != (fastpath.Path{}) {
		t.Fatal("the path is kept")
	}
	if _, err := g.Next(); !errors.Is(err, EStopped) {
		t.Fatal(err)
	}
}

// The worker id may have the lowest bits.
func TestTheFastPathPutsTheSequenceInItsPlace(t *testing.T) {
	g, err := Open("layout=41/12s/10w worker=fixed:7 state=memory host_dir="+filepath.Join(t.TempDir(), "host"), WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for i := 0; i < 10000; i++ {
		id, err := g.Next()
		if err != nil {
			t.Fatal(err)
		}
		if fields, err := g.Layout().Decompose(id); err != nil || fields.Worker != 7 {
			t.Fatal(id, fields, err)
		}
	}
}

// A clock that was behind can be set right long before the time that an error has said.
func TestAWaitOfHoursLooksAgainEachSecond(t *testing.T) {
	g := openedHere(t)
	looked := make(chan bool, 1)
	go func() {
		goOn, err := g.wait(unbound, time.Hour, time.Time{})
		looked <- goOn && err == nil
	}()
	select {
	case goOn := <-looked:
		if !goOn {
			t.Fatal("the wait was given up")
		}
	case <-time.After(time.Minute):
		t.Fatal("it did not look again")
	}
}

// It would only find out later that there is no time for it.
func TestAWaitBeyondTheDeadlineIsNotBegun(t *testing.T) {
	g := openedHere(t)
	if goOn, err := g.wait(unbound, time.Hour, time.Now().Add(time.Minute)); goOn || err != nil {
		t.Fatal(goOn, err)
	}
}

// Each child would keep a descriptor of which it knows nothing.
func TestNoChildInheritsTheDescriptorOfEvents(t *testing.T) {
	file, err := openedHere(t).eventFile()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFD, 0)
		if errno != 0 || flags&syscall.FD_CLOEXEC == 0 {
			t.Error(flags, errno)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The poller cannot wait for a file on a disk, so waiting fails at once. The generator is open, and the error says so.
func TestAFailingWaitForAnEventIsNotTheEndOfTheGenerator(t *testing.T) {
	g := openedHere(t)
	events := g.Events()
	for there := true; there; {
		_, there = events.TryNext()
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if event, err := events.waitIn(context.Background(), file); err == nil || errors.Is(err, EStopped) {
		t.Fatal(event, err)
	}
	g.Close()
	if event, err := events.waitIn(context.Background(), file); !errors.Is(err, EStopped) {
		t.Fatal(event, err)
	}
}
