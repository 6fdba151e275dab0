// SPDX-License-Identifier: MIT

package frazil

// An Option is what a spec cannot say.
type Option func(*options)

type options struct {
	clock         *ManualClock
	snapshot      *Snapshot
	granter       Granter
	noEnvironment bool
}

// WithClock has a generator read a clock of the program's; nil: the system's. The spec then says state=memory, which forgets
// all when the generator is closed, or state=file, which keeps the times that this clock shows.
func WithClock(clock *ManualClock) Option { return func(o *options) { o.clock = clock } }

// WithSnapshot has a sno generator continue from a snapshot, without repeating a sno.
func WithSnapshot(snapshot Snapshot) Option { return func(o *options) { o.snapshot = &snapshot } }

// WithoutEnvironment leaves the variables FRAZIL_* unread.
func WithoutEnvironment() Option { return func(o *options) { o.noEnvironment = true } }

// WithGranter has the worker id come from a source of the program's, in place of the key worker.
func WithGranter(granter Granter) Option { return func(o *options) { o.granter = granter } }

// A Grant is a worker id for a stretch of time.
type Grant struct {
	Worker     uint32 // for sno: the partition
	FromUnixMs int64  // nothing is stamped before; rounded up to a whole tick
	EndUnixMs  int64  // nor at this time or later; rounded down to a whole tick
	Token      uint64 // the granter's own, but not 0: comes back with the grant
}

// A Granter gives worker ids. No two of its grants of one worker id overlap in time, whoever holds them, also after any crash: it
// records the end of each one durably before it returns it. An *Error is passed on with its code; any other error means that there
// was no answer, and the call is tried again. A generator makes one call at a time, from any goroutine. No method may use the
// generator.
type Granter interface {
	// Acquire gives the first grant, which ends after now.
	Acquire(nowUnixMs int64) (Grant, error)
	// Extend continues a grant, by a later end, or replaces it, by another worker id or a start that is not before its end. An
	// error takes nothing away.
	Extend(nowUnixMs int64, held Grant) (Grant, error)
	// Release is called when the generator is closed: nothing was stamped at usedEnd or later.
	Release(held Grant, usedEndUnixMs int64)
}
