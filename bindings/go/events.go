// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// The compiler stops here if a number of parts.go differs from the header.
var _ = [1]int{}[(EventMoved-C.FRAZIL_EVENT_MOVED)|
	(EventLost-C.FRAZIL_EVENT_LOST)|
	(EventExtensionFailed-C.FRAZIL_EVENT_EXTENSION_FAILED)|
	(EventClockBack-C.FRAZIL_EVENT_CLOCK_BACK)|
	(EventOverflow-C.FRAZIL_EVENT_OVERFLOW)|
	(EventWarnCollision-C.FRAZIL_EVENT_WARN_COLLISION)|
	(EventWarnShortLife-C.FRAZIL_EVENT_WARN_SHORT_LIFE)|
	(EventWarnEarlyClock-C.FRAZIL_EVENT_WARN_EARLY_CLOCK)|
	(EventWarnUnclaimed-C.FRAZIL_EVENT_WARN_UNCLAIMED)]

// String returns the name of the kind, such as "extension-failed".
func (k EventKind) String() string { return C.GoString(C.frazil_event_name(C.uint32_t(k))) }

// MarshalText returns the name of the kind, for JSON.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind.
func (k *EventKind) UnmarshalText(text []byte) error {
	for kind := EventMoved; kind.String() != EventKind(0).String(); kind++ {
		if kind.String() == string(text) {
			*k = kind
			return nil
		}
	}
	return newError(EParse, fmt.Sprintf("%q is the name of no kind of event", text))
}

// Events reads the events of a generator, from the oldest one that is kept. One goroutine at a time may use it; each reader needs
// its own.
type Events struct {
	g      *Generator
	cursor C.uint64_t
}

// Events returns a reader of the generator's events.
func (g *Generator) Events() *Events { return &Events{g: g} }

// TryNext returns the next event, if there is one.
func (e *Events) TryNext() (Event, bool) {
	if e == nil || !e.g.enter() {
		return Event{}, false
	}
	defer e.g.leave()
	var raw C.frazil_event
	if !C.frazil_next_event(e.g.raw, &e.cursor, &raw, C.sizeof_frazil_event) {
		return Event{}, false
	}
	return Event{
		Kind:   EventKind(raw.kind),
		Code:   Code(raw.code),
		Worker: uint32(raw.worker),
		UnixMs: int64(raw.unix_ms),
		Value:  uint64(raw.value),
		Missed: uint64(raw.missed),
	}, true
}

// Next waits for the next event until the context ends or the generator is closed. The wait occupies no thread. Only one goroutine
// may wait at a time.
func (e *Events) Next(ctx context.Context) (Event, error) {
	if event, there := e.TryNext(); there {
		return event, nil
	}
	if e == nil || e.g.isNone() {
		return Event{}, (*Generator)(nil).closed()
	}
	if ctx == nil {
		ctx = context.Background()
	}
	file, err := e.g.eventFile()
	if err != nil {
		return Event{}, err
	}
	defer file.Close()
	return e.waitIn(ctx, file)
}

// waitIn waits in the poller of the runtime for the descriptor that an event makes readable.
func (e *Events) waitIn(ctx context.Context, file *os.File) (event Event, err error) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
		case <-e.g.gone:
		case <-over:
			return
		}
		file.SetReadDeadline(time.Unix(1, 0)) // wakes it
	}()
	there := false
	waits, failed := file.SyscallConn()
	if failed == nil {
		failed = waits.Read(func(uintptr) bool {
			event, there = e.TryNext() // false makes the descriptor unreadable
			return there
		})
	}
	close(over)
	<-ended
	switch {
	case there:
		return event, nil
	case ctx.Err() != nil:
		return Event{}, ctx.Err()
	}
	select {
	case <-e.g.gone:
		return Event{}, e.g.closed()
	default:
		return Event{}, failed
	}
}

// eventFile returns a copy of the descriptor of the events.
func (g *Generator) eventFile() (*os.File, error) {
	if !g.enter() {
		return nil, g.closed()
	}
	defer g.leave()
	var fd C.int
	var why C.frazil_error
	if err := C.frazil_event_fd(g.raw, &fd, &why); err != C.FRAZIL_OK {
		return nil, errorFrom(err, &why)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	copied, err := syscall.Dup(int(fd))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(copied)
	syscall.SetNonblock(copied, true)
	return os.NewFile(uintptr(copied), "events"), nil
}
