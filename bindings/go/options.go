// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"time"
)

// ManualClock is a clock for tests that moves only when told to. Sleeps on it take no time: they advance it. The zero value is not
// a clock: make one with NewManualClock.
type ManualClock struct{ raw *C.frazil_manual_clock }

// NewManualClock returns a clock that shows this time.
func NewManualClock(unixMs int64) (*ManualClock, error) {
	clock := &ManualClock{}
	var why C.frazil_error
	if err := C.frazil_manual_clock_open(&clock.raw, C.int64_t(unixMs), 0, &why); err != C.FRAZIL_OK {
		return nil, errorFrom(err, &why)
	}
	runtime.SetFinalizer(clock, func(clock *ManualClock) { C.frazil_manual_clock_close(clock.raw) })
	return clock, nil
}

// must panics for a clock that was not made by NewManualClock, as Set and Advance return no error.
func (c *ManualClock) must() {
	if c == nil || c.raw == nil {
		panic("frazil: the clock was not made by NewManualClock")
	}
}

// Set sets the wall time: a step. Monotonic time stays.
func (c *ManualClock) Set(unixMs int64) {
	c.must()
	C.frazil_manual_clock_set(c.raw, C.int64_t(unixMs))
	runtime.KeepAlive(c)
}

// Advance advances both wall and monotonic time. It panics if d is negative: Set sets the clock back.
func (c *ManualClock) Advance(d time.Duration) {
	c.must()
	if d < 0 {
		panic("frazil: a clock does not advance by " + d.String() + ": Set sets it back")
	}
	C.frazil_manual_clock_advance(c.raw, C.uint64_t(d))
	runtime.KeepAlive(c)
}

// prepared holds options of the library, which must be freed.
type prepared struct {
	raw      *C.frazil_options
	maxWait  time.Duration // how long a call may wait; negative: forever
	granter  handle        // of the program's granter: dropped when C no longer calls it
	sleepsIn bool          // the clock is not real: the library waits, which takes no time
}

func prepare(spec string, given []Option) (prepared, options, error) {
	var o options
	for _, option := range given {
		if option != nil {
			option(&o)
		}
	}
	var p prepared
	var why C.frazil_error
	if o.clock != nil && o.clock.raw == nil {
		return p, o, newError(EInval, "the clock was not made by NewManualClock")
	}
	if !C.shim_version_fits() {
		return p, o, newError(ENotBuilt, fmt.Sprintf("this module is for frazil %d.%d, and the library that is installed is %s: "+
			"install that version, or build without the tag libfrazil", C.FRAZIL_VERSION_MAJOR, C.FRAZIL_VERSION_MINOR, Version()))
	}
	err := C.frazil_options_open(&p.raw, &why)
	if err != C.FRAZIL_OK {
		return p, o, errorFrom(err, &why)
	}
	at, n := chars(spec)
	err = C.frazil_options_spec(p.raw, at, n, &why)
	if err == C.FRAZIL_OK && o.noEnvironment {
		err = C.frazil_options_environment(p.raw, C.FRAZIL_ENVIRONMENT_NONE, &why)
	}
	if err == C.FRAZIL_OK && o.clock != nil {
		var port C.frazil_clock
		C.frazil_manual_clock_port(o.clock.raw, &port, C.sizeof_frazil_clock)
		err = C.frazil_options_clock(p.raw, &port, &why)
	}
	if err == C.FRAZIL_OK && o.granter != nil {
		p.granter = handleOf(o.granter)
		err = C.shim_options_granter(p.raw, C.uintptr_t(p.granter), &why)
	}
	if err == C.FRAZIL_OK && o.snapshot != nil {
		at, n := chars(o.snapshot.text())
		err = C.frazil_options_snapshot(p.raw, at, n, &why)
	}
	var waits C.shim_waits
	if err == C.FRAZIL_OK {
		waits = C.shim_options_waits(p.raw, &why)
		err = waits.err
	}
	if err != C.FRAZIL_OK {
		p.granter.drop()
		C.frazil_options_close(p.raw)
		return p, o, errorFrom(err, &why)
	}
	p.maxWait = -1
	if ns := uint64(waits.max_wait_ns); ns <= math.MaxInt64 {
		p.maxWait = time.Duration(ns)
	}
	p.sleepsIn = bool(waits.is_frozen) || o.clock != nil
	return p, o, nil
}

// Check returns an error if a spec or its options are not valid today: it reads the clock, and refuses a layout that ends within
// ten years. It opens nothing.
func Check(spec string, given ...Option) error {
	p, o, err := prepare(spec, given)
	if err == nil {
		C.frazil_options_close(p.raw)
		p.granter.drop()
	}
	runtime.KeepAlive(o.clock)
	return err
}
