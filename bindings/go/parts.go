// SPDX-License-Identifier: MIT

package frazil

import (
	"fmt"
	"strings"
	"time"
)

// Fields are the fields of one id.
type Fields struct {
	UnixMs   int64  // start of the id's tick
	Worker   uint32 // the whole worker number, including the datacenter
	Sequence uint32 // the number within the tick
}

// Time returns the start of the id's tick, in UTC.
func (f Fields) Time() time.Time { return timeOf(f.UnixMs) }

// LayoutInfo describes what a layout can hold.
type LayoutInfo struct {
	Workers        uint64 // how many worker ids there are
	IDsPerTick     uint64 // for one worker
	IDsPerSecond   uint64 // for one worker, rounded down
	FirstUnixMs    int64  // the epoch
	LastUnixMs     int64  // start of the last tick
	MaxID          ID     // the largest id; 0 for sno
	SignBitUnixMs  int64  // when ids become negative as signed numbers; 0 if never
	TotalBits      uint32
	ReachesSignBit bool
	Fits53Bits     bool // each id is exact in a double
}

// Overlap describes what happens when a system moves from one layout to another.
type Overlap struct {
	OldLast    ID    // the largest id that the old layout can have issued before the change
	NewFirst   ID    // the smallest id that the new layout can issue from the change on
	SafeUnixMs int64 // the first instant from which every new id is above every old one
	CanCollide bool
	CanMissort bool
	EverSafe   bool
}

// Info has the properties of a generator, and its place in the current tick.
type Info struct {
	Worker       uint32    // the worker id; for snos the partition
	SequenceMin  uint32    // the lowest sequence number that the generator uses
	SequenceMax  uint32    // the highest sequence number that the generator uses
	Sequence     uint32    // the sequence number of the next id, if it were taken now
	Length       uint64    // how many sequence numbers of this tick are used
	Capacity     uint64    // how many sequence numbers a tick has
	CounterInUse bool      // whether the processor's counter replaces clock reads
	StateIsNew   bool      // whether no generator has used this worker on this host since it booted
	State        StateKind // where the state is kept
	CollisionPPM uint32    // for hashed worker ids: the probability that two hosts share one, in parts per million
}

// StateKind is where the state of a generator is kept. Later versions may add kinds.
type StateKind uint8

// The kinds.
const (
	StateMemory StateKind = 0 // in this process: no other or later process knows it
	StateFile   StateKind = 1 // in files of this host
	StateGrant  StateKind = 2 // with the coordinator or granter that gives the worker id
	StateSlots  StateKind = 3 // with the coordinator that gives the slots
)

var stateKinds = words{"memory", "file", "grant", "slots"}

// String returns the word for the kind, such as "file".
func (k StateKind) String() string { return stateKinds.at(int(k)) }

// MarshalText returns the word for the kind, for JSON.
func (k StateKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the word of a kind.
func (k *StateKind) UnmarshalText(text []byte) error {
	return find(stateKinds, text, k)
}

// words are the words of the numbers from 0 on.
type words []string

// at returns the word of that number; a newer library may have more.
func (w words) at(number int) string {
	if number < 0 || number >= len(w) {
		return "unknown"
	}
	return w[number]
}

// find sets *number to the number of that word.
func find[N ~uint8 | ~int32](w words, text []byte, number *N) error {
	for i, word := range w {
		if word == string(text) {
			*number = N(i)
			return nil
		}
	}
	return newError(EParse, fmt.Sprintf("%q is none of the words %s", text, strings.Join(w, ", ")))
}

// HealthState is the state of a generator now. Later versions may add states.
type HealthState int32

// The states.
const (
	Serving    HealthState = 0 // it issues ids, as its policies allow
	NeedsGrant HealthState = 1 // it issues ids, but little of its grant is left
	IsBehind   HealthState = 2 // its clock is before the grant or the layout's epoch
	IsFenced   HealthState = 3 // its grant has ended: it issues no ids until it has another
	Exhausted  HealthState = 4 // the layout's last tick is over
	Stopped    HealthState = 5 // it was stopped, or closed
)

var healthStates = words{"serving", "needs_grant", "behind", "fenced", "exhausted", "stopped"}

// String returns the word for the state, such as "needs_grant", which is the same in all of frazil.
func (s HealthState) String() string { return healthStates.at(int(s)) }

// MarshalText returns the word for the state, for JSON.
func (s HealthState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of a state.
func (s *HealthState) UnmarshalText(text []byte) error {
	return find(healthStates, text, s)
}

// Health describes the state of a generator, for health checks.
type Health struct {
	State          HealthState
	LastFailure    error // why extending the grant last failed; nil after a success
	Worker         uint32
	NeedsGrant     bool          // whether the worker id is granted for a limited time
	GrantEndUnixMs int64         // the end of the grant: no id is issued for this time or later
	Horizon        time.Duration // how far a fresh grant reaches
	Failures       uint64        // how often in a row extending the grant has failed
}

// Serving reports whether the generator issues ids, as its policies allow.
func (h Health) Serving() bool { return h.State == Serving || h.State == NeedsGrant }

// EventKind is what happened to a generator. Later versions may add kinds.
type EventKind uint32

// The kinds.
const (
	EventMoved           EventKind = 1 // the worker id changed; Value: the previous one
	EventLost            EventKind = 2 // the worker id is lost or its grant has ended, without a replacement yet; Code: why
	EventExtensionFailed EventKind = 3 // extending the grant failed; Code: why
	EventClockBack       EventKind = 4 // the clock went back; Value: by how many microseconds
	EventOverflow        EventKind = 5 // a call waited because the tick was full, for the first time in a second
	EventWarnCollision   EventKind = 6 // at opening: two hosts may have one worker id; Value: parts per million
	EventWarnShortLife   EventKind = 7 // at opening: the layout ends within ten years; Value: its last millisecond
	EventWarnEarlyClock  EventKind = 8 // at opening: the clock is before the layout's epoch; Value: by how many milliseconds
	EventWarnUnclaimed   EventKind = 9 // at opening: nothing prevents another generator from using the worker id
)

// Event is something that happened to a generator, for a program's log.
type Event struct {
	Kind   EventKind
	Code   Code   // the reason, for kinds that have one; else 0
	Worker uint32 // the worker id after the event; for snos the partition
	UnixMs int64  // the time of the event, on the generator's clock
	Value  uint64 // the value that the kind describes; else 0
	Missed uint64 // how many events were lost since the one read before
}

// String returns a line for a log.
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
	Worker     uint32 // the worker id; for snos the partition
	FromUnixMs int64  // nothing may be stamped before this time
	EndUnixMs  int64  // nothing may be stamped at this time or later; an extension moves it
}
