// SPDX-License-Identifier: MIT

package frazil

import (
	"fmt"
	"time"
)

// Fields are the fields of one id.
type Fields struct {
	UnixMs   int64  // start of the id's tick
	Worker   uint32 // the whole number, datacenter included
	Sequence uint32 // within the tick
}

// Time is the start of the id's tick, in UTC.
func (f Fields) Time() time.Time { return timeOf(f.UnixMs) }

// LayoutInfo says what a layout holds.
type LayoutInfo struct {
	Workers        uint64 // how many worker ids there are
	IDsPerTick     uint64 // for one worker
	IDsPerSecond   uint64 // for one worker, rounded down
	FirstUnixMs    int64  // the epoch
	LastUnixMs     int64  // start of the last tick
	MaxID          ID     // the largest id; 0 for sno
	SignBitUnixMs  int64  // from then on ids are negative as signed numbers; 0 where that never happens
	TotalBits      uint32
	ReachesSignBit bool
	Fits53Bits     bool // every id is exact in a double
}

// Overlap says what happens when a system moves from one layout to another.
type Overlap struct {
	OldLast    ID    // the largest id that the old layout can have issued before the change
	NewFirst   ID    // the smallest id that the new layout can issue from the change on
	SafeUnixMs int64 // the first instant from which every new id is above every old one
	CanCollide bool
	CanMissort bool
	EverSafe   bool
}

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
	StateMemory StateKind = 0 // in this process: no other one and no later one knows it
	StateFile   StateKind = 1 // in files of this host
	StateGrant  StateKind = 2 // with the coordinator or granter that gives the worker id
	StateSlots  StateKind = 3 // with the coordinator that gives the slots
)

// String is the word for the kind, as "file".
func (k StateKind) String() string { return wordOf(int(k), "memory", "file", "grant", "slots") }

// wordOf is the word of that number; a newer library may have more.
func wordOf(number int, words ...string) string {
	if number < 0 || number >= len(words) {
		return "unknown"
	}
	return words[number]
}

// HealthState is the state of a generator now. More may come.
type HealthState int32

// The states.
const (
	Serving    HealthState = 0 // it gives ids, as its policies allow
	NeedsGrant HealthState = 1 // it does, but little of its grant is left
	IsBehind   HealthState = 2 // its clock is before the grant or the layout's epoch
	IsFenced   HealthState = 3 // its grant has ended: it gives no ids until there is another
	Exhausted  HealthState = 4 // the layout's last tick is over
	Stopped    HealthState = 5 // it was stopped, or closed
)

// String is the word for the state that all of frazil uses, as "needs_grant".
func (s HealthState) String() string {
	return wordOf(int(s), "serving", "needs_grant", "behind", "fenced", "exhausted", "stopped")
}

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

// EventKind is what happened to a generator. More may come.
type EventKind uint32

// The kinds.
const (
	EventMoved           EventKind = 1 // the worker id changed; Value: the one before
	EventLost            EventKind = 2 // the worker id is lost or its grant has ended, and there is no other yet; Code says why
	EventExtensionFailed EventKind = 3 // extending the grant failed; Code says why
	EventClockBack       EventKind = 4 // the clock went back; Value: by how many microseconds
	EventOverflow        EventKind = 5 // a call waited for a full tick, the first one to do so for a second
	EventWarnCollision   EventKind = 6 // at opening: two hosts may have one worker id; Value: parts per million
	EventWarnShortLife   EventKind = 7 // at opening: the layout ends within ten years; Value: its last millisecond
	EventWarnEarlyClock  EventKind = 8 // at opening: the clock is before the layout's epoch; Value: by how many milliseconds
	EventWarnUnclaimed   EventKind = 9 // at opening: nothing keeps another generator from the worker id
)

// Event is something that happened to a generator, for a program's log.
type Event struct {
	Kind   EventKind
	Code   Code   // where the kind says so, else 0
	Worker uint32 // after it; for sno: the partition
	UnixMs int64  // when, on the generator's clock
	Value  uint64 // as the kind says, else 0
	Missed uint64 // events between the one read before and this one, which are gone
}

// String is a line for a log.
func (e Event) String() string {
	s := fmt.Sprintf("%s worker=%d", e.Kind, e.Worker)
	if e.Value != 0 {
		s += fmt.Sprintf(" value=%d", e.Value)
	}
	if e.Code != 0 {
		s += ": " + e.Code.Error()
	}
	return s
}

// LeaseInfo is the number of a lease, and the time for which it holds.
type LeaseInfo struct {
	Worker     uint32 // for sno: the partition
	FromUnixMs int64  // nothing may be stamped before
	EndUnixMs  int64  // nor at this time or later, unless an extension moves it on
}
