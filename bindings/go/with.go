// SPDX-License-Identifier: MIT

package frazil

// An Option is a setting that a spec cannot express.
type Option func(*options)

type options struct {
	clock         *ManualClock
	snapshot      *Snapshot
	granter       Granter
	noEnvironment bool
}

// WithClock makes a generator read the given clock; nil means the system's. The spec must then have state=memory, which forgets
// everything when the generator is closed, or state=file, which keeps the times that this clock shows.
func WithClock(clock *ManualClock) Option { return func(o *options) { o.clock = clock } }

// WithSnapshot makes a sno generator continue from a snapshot, without duplicates.
func WithSnapshot(snapshot Snapshot) Option { return func(o *options) { o.snapshot = &snapshot } }

// WithoutEnvironment makes the generator ignore the environment variables FRAZIL_*.
func WithoutEnvironment() Option { return func(o *options) { o.noEnvironment = true } }

// WithGranter makes the generator get its worker id from the program's granter, instead of the key worker.
func WithGranter(granter Granter) Option { return func(o *options) { o.granter = granter } }

// A Grant is a worker id for a limited time.
type Grant struct {
	Worker     uint32 // the worker id; for snos the partition
	FromUnixMs int64  // nothing is stamped before this time; rounded up to a whole tick
	EndUnixMs  int64  // nothing is stamped at this time or later; rounded down to a whole tick
	Token      uint64 // chosen by the granter, not 0; passed back with the grant
}

// A Granter gives worker ids. Its grants of one worker id never overlap in time, also between holders and after a crash: it records
// the end of each grant durably before it returns the grant. An *Error is passed on with its code; any other error means that there
// was no answer, and the call is retried. A generator makes one call at a time, from any goroutine. No method may use the
// generator.
type Granter interface {
	// Acquire returns the first grant, which ends after now.
	Acquire(nowUnixMs int64) (Grant, error)
	// Extend returns a grant that continues the held one with a later end, or replaces it: with another worker id, or with a
	// start that is not before its end. After an error the held grant stays valid.
	Extend(nowUnixMs int64, held Grant) (Grant, error)
	// Release is called when the generator is closed: nothing was stamped at usedEnd or later.
	Release(held Grant, usedEndUnixMs int64)
}
