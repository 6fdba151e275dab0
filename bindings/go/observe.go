// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import "time"

// Info says what a generator is.
type Info struct {
	Worker       uint32    // for sno: the partition
	SequenceMin  uint32    // the lowest number that its sequence takes
	SequenceMax  uint32    // the highest
	Sequence     uint32    // the next id's, if it were taken now
	Length       uint64    // how many sequence numbers of this tick are used
	Capacity     uint64    // how many a tick has
	CounterInUse bool      // whether the processor's counter saves clock readings
	StateIsNew   bool      // no generator had this worker on this host since it was booted
	State        StateKind // where its state is kept
	CollisionPPM uint32    // of hashes: how likely two of the expected hosts have the same worker id, in parts per million
}

// StateKind is where the state of a generator is kept. More may come.
type StateKind uint8

// The kinds.
const (
	StateMemory StateKind = C.FRAZIL_STATE_MEMORY // in this process: no other one and no later one knows it
	StateFile   StateKind = C.FRAZIL_STATE_FILE   // in files of this host
	StateGrant  StateKind = C.FRAZIL_STATE_GRANT  // with the coordinator or granter that gives the worker id
	StateSlots  StateKind = C.FRAZIL_STATE_SLOTS  // with the coordinator that gives the slots
)

// Info says what it is. Of a closed generator all is zero.
func (g *Generator) Info() Info {
	if !g.enter() {
		return Info{}
	}
	defer g.leave()
	var raw C.frazil_info
	C.frazil_get_info(g.raw, &raw, C.sizeof_frazil_info)
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

// Layout is the layout of its ids. Of a closed generator it is the zero value.
func (g *Generator) Layout() Layout {
	if !g.enter() {
		return Layout{}
	}
	defer g.leave()
	var raw C.frazil_info
	C.frazil_get_info(g.raw, &raw, C.sizeof_frazil_info)
	return Layout{raw: *raw.layout}
}

// Available is how many ids are left in this tick.
func (g *Generator) Available() uint64 {
	if !g.enter() {
		return 0
	}
	defer g.leave()
	var raw C.frazil_info
	C.frazil_get_info(g.raw, &raw, C.sizeof_frazil_info)
	return uint64(raw.available)
}

// Stats are names and values of what happened so far, to the generator and all processes that share it: issued, full, waits and
// so on. Of a closed generator there are none.
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

// HealthState is the state of a generator now. More may come.
type HealthState int32

// The states.
const (
	Serving    HealthState = C.FRAZIL_HEALTH_SERVING     // it gives ids, as its policies allow
	NeedsGrant HealthState = C.FRAZIL_HEALTH_NEEDS_GRANT // it does, but little of its grant is left
	IsBehind   HealthState = C.FRAZIL_HEALTH_BEHIND      // its clock is before the grant or the layout's epoch
	IsFenced   HealthState = C.FRAZIL_HEALTH_FENCED      // its grant has ended: it gives no ids until there is another
	Exhausted  HealthState = C.FRAZIL_HEALTH_EXHAUSTED   // the layout's last tick is over
	Stopped    HealthState = C.FRAZIL_HEALTH_STOPPED     // it was stopped, or closed
)

// Health says how a generator is, for health checks.
type Health struct {
	State          HealthState
	LastFailure    error // why extending the grant failed last; nil after a success
	Worker         uint32
	NeedsGrant     bool          // its worker id is granted for a time
	GrantEndUnixMs int64         // no id is given for this time or a later one
	Horizon        time.Duration // how far a fresh grant reaches
	Failures       uint64        // to extend it, in a row
}

// Health says how it is now. It asks neither disk nor coordinator.
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

// Keep extends the grant of the worker id if it is time to, for keeper=hook. It returns when to call it again; negative: never.
func (g *Generator) Keep() (time.Duration, error) {
	if !g.enter() {
		return -1, g.closed()
	}
	defer g.leave()
	var next C.uint64_t
	var why C.frazil_error
	err := C.frazil_keep(g.raw, 0, &next, &why)
	if uint64(next) > 1<<62 {
		return -1, errorFrom(err, &why)
	}
	return time.Duration(next), errorFrom(err, &why)
}
