// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"fmt"
	"time"
)

// The compiler stops here if a number of parts.go differs from the header.
var _ = [1]int{}[0|
	(StateMemory-C.FRAZIL_STATE_MEMORY)|
	(StateFile-C.FRAZIL_STATE_FILE)|
	(StateGrant-C.FRAZIL_STATE_GRANT)|
	(StateSlots-C.FRAZIL_STATE_SLOTS)]

var _ = [1]int{}[0|
	(Serving-C.FRAZIL_HEALTH_SERVING)|
	(NeedsGrant-C.FRAZIL_HEALTH_NEEDS_GRANT)|
	(IsBehind-C.FRAZIL_HEALTH_BEHIND)|
	(IsFenced-C.FRAZIL_HEALTH_FENCED)|
	(Exhausted-C.FRAZIL_HEALTH_EXHAUSTED)|
	(Stopped-C.FRAZIL_HEALTH_STOPPED)]

// look returns the properties of the generator, and the layout that they name; false after Close.
func (g *Generator) look() (info C.frazil_info, layout C.frazil_layout, ok bool) {
	if !g.enter() {
		return info, layout, false
	}
	defer g.leave()
	C.frazil_get_info(g.raw, &info, C.sizeof_frazil_info)
	return info, *info.layout, true
}

// Info returns the properties of the generator; all zeros after Close.
func (g *Generator) Info() Info {
	raw, _, ok := g.look()
	if !ok {
		return Info{}
	}
	return Info{
		Worker:       uint32(raw.worker),
		SequenceMin:  uint32(raw.sequence_min),
		SequenceMax:  uint32(raw.sequence_max),
		Sequence:     uint32(raw.sequence),
		Length:       uint64(raw.capacity - raw.available),
		Capacity:     uint64(raw.capacity),
		CounterInUse: raw.counter_in_use != 0,
		StateIsNew:   raw.state_is_new != 0,
		State:        StateKind(raw.state),
		CollisionPPM: uint32(raw.collision_ppm),
	}
}

// Layout returns the layout of the ids; the zero value after Close.
func (g *Generator) Layout() Layout {
	_, layout, _ := g.look()
	return Layout{raw: layout}
}

// String returns the layout, the worker id and the state, for a log.
func (g *Generator) String() string {
	if !g.enter() {
		if g.isNone() {
			return "frazil.Generator(not opened)"
		}
		return "frazil.Generator(closed)"
	}
	defer g.leave()
	return fmt.Sprintf("frazil.Generator(%v, worker %d, %v)", g.Layout(), g.Info().Worker, g.Health().State)
}

// Available returns how many ids are left in this tick.
func (g *Generator) Available() uint64 {
	if !g.enter() {
		return 0
	}
	defer g.leave()
	var raw C.frazil_info
	C.frazil_get_info(g.raw, &raw, C.sizeof_frazil_info)
	return uint64(raw.available)
}

// Stats returns the counters of the generator and of all processes that share it, by name: issued, full, waits and so on. It
// returns none after Close.
func (g *Generator) Stats() map[string]uint64 {
	if !g.enter() {
		return nil
	}
	defer g.leave()
	stats := make(map[string]uint64)
	var rows [C.FRAZIL_STATS_MOST]C.frazil_stat
	for _, row := range rows[:C.frazil_get_stats(g.raw, &rows[0], C.FRAZIL_STATS_MOST)] {
		stats[C.GoString(row.name)] = uint64(row.value)
	}
	return stats
}

// Health returns the state of the generator now. It accesses neither disk nor coordinator.
func (g *Generator) Health() Health {
	if !g.enter() {
		return Health{State: Stopped}
	}
	defer g.leave()
	var raw C.frazil_health
	var why C.frazil_error
	C.frazil_get_health(g.raw, &raw, C.sizeof_frazil_health, &why)
	failure := errorFrom(C.frazil_err(raw.last_code), &why)
	return Health{
		State:          HealthState(raw.state),
		LastFailure:    failure,
		Worker:         uint32(raw.worker),
		NeedsGrant:     raw.needs_grant != 0,
		GrantEndUnixMs: int64(raw.grant_end_unix_ms),
		Horizon:        time.Duration(raw.horizon_ns),
		Failures:       uint64(raw.failures),
	}
}

// Keep extends the grant of the worker id if it is due, for keeper=hook. It returns the time until the next call is due; negative
// means never. While the coordinator or granter does not answer, the present grant stands and this is no error:
// Health().LastFailure says why.
func (g *Generator) Keep() (time.Duration, error) {
	if !g.enter() {
		return -1, g.closed()
	}
	defer g.leave()
	var next C.uint64_t
	var why C.frazil_error
	err := C.frazil_keep(g.raw, 0, &next, &why)
	return kept(err, &why, next)
}

// kept returns what a call that extends a grant has said: only an answer that cannot come is an error.
func kept(err C.frazil_err, why *C.frazil_error, next C.uint64_t) (time.Duration, error) {
	if C.frazil_err_classify(err) == C.FRAZIL_CLASS_RETRY {
		err = C.FRAZIL_OK
	}
	return whenNext(next), errorFrom(err, why)
}

// whenNext returns a duration, negative for never.
func whenNext(ns C.uint64_t) time.Duration {
	if uint64(ns) > 1<<62 {
		return -1
	}
	return time.Duration(ns)
}
