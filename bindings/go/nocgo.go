// SPDX-License-Identifier: MIT

//go:build !cgo

package frazil

// The library is written in C. Without cgo programs compile all the same: ids can be read and written as numbers, decimal text and
// bytes, and whatever else needs the library says what to do.

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"
)

var errNoCgo = newError(ENotBuilt, "frazil is written in C, and this program was built without cgo: build it with CGO_ENABLED=1 and a "+
	"C compiler (CC names one for another system), or take ids from frazild, which speaks Redis and HTTP")

// Name is the code's number in the table of errors.
func (c Code) Name() string { return "error " + strconv.Itoa(int(c)) }

// Error is a sentence.
func (c Code) Error() string { return "frazil: " + c.Name() }

// Class is that of all errors without cgo.
func (c Code) Class() Class { return Usage }

// String is the class in small letters.
func (c Class) String() string { return "usage" }

// Generator is never open without cgo.
type Generator struct{}

// ManualClock is never made without cgo.
type ManualClock struct{}

// Layout is always the zero value without cgo.
type Layout struct{}

// Version says that there is no library.
func Version() string { return "none, without cgo" }

// Open says what to do.
func Open(spec string, given ...Option) (*Generator, error) { return nil, errNoCgo }

// OpenShared says what to do.
func OpenShared(spec string, given ...Option) (*Generator, error) { return nil, errNoCgo }

// Check says what to do.
func Check(spec string, given ...Option) error { return errNoCgo }

// NewManualClock says what to do.
func NewManualClock(unixMs int64) (*ManualClock, error) { return nil, errNoCgo }

// Set panics, as no clock was made.
func (c *ManualClock) Set(unixMs int64) { panic(errNoCgo) }

// Advance panics, as no clock was made.
func (c *ManualClock) Advance(d time.Duration) { panic(errNoCgo) }

// ---- generators -----------------------------------------------------------------------

// Next says what to do, as do all that follow.
func (g *Generator) Next() (ID, error) { return 0, errNoCgo }

// MustNext panics.
func (g *Generator) MustNext() ID { panic(errNoCgo) }

// TryNext is an error.
func (g *Generator) TryNext() (ID, error) { return 0, errNoCgo }

// Fill is an error.
func (g *Generator) Fill(ids []ID) error { return errNoCgo }

// Take is an error.
func (g *Generator) Take(ctx context.Context, n int) ([]ID, error) { return nil, errNoCgo }

// NextAt is an error.
func (g *Generator) NextAt(t time.Time) (ID, error) { return 0, errNoCgo }

// NextSno is an error.
func (g *Generator) NextSno(meta byte) (Sno, error) { return Sno{}, errNoCgo }

// TryNextSno is an error.
func (g *Generator) TryNextSno(meta byte) (Sno, error) { return Sno{}, errNoCgo }

// FillSnos is an error.
func (g *Generator) FillSnos(meta byte, snos []Sno) error { return errNoCgo }

// NextSnoAt is an error.
func (g *Generator) NextSnoAt(meta byte, t time.Time) (Sno, error) { return Sno{}, errNoCgo }

// Snapshot is an error.
func (g *Generator) Snapshot() (Snapshot, error) { return Snapshot{}, errNoCgo }

// Keep is an error.
func (g *Generator) Keep() (time.Duration, error) { return -1, errNoCgo }

// Close is an error.
func (g *Generator) Close() error { return errNoCgo }

// Stop does nothing.
func (g *Generator) Stop() {}

// Info is zero.
func (g *Generator) Info() Info { return Info{} }

// Layout is the zero value.
func (g *Generator) Layout() Layout { return Layout{} }

// Available is 0.
func (g *Generator) Available() uint64 { return 0 }

// Stats are none.
func (g *Generator) Stats() map[string]uint64 { return nil }

// Health is that of a generator that was stopped.
func (g *Generator) Health() Health { return Health{State: Stopped} }

// IDs end with what to do.
func (g *Generator) IDs() func(yield func(ID, error) bool) {
	return func(yield func(ID, error) bool) { yield(0, errNoCgo) }
}

// TakeSnos is an error.
func (g *Generator) TakeSnos(ctx context.Context, meta byte, n int) ([]Sno, error) {
	return nil, errNoCgo
}

// String is empty.
func (k EventKind) String() string { return "?" }

// Events are none without cgo.
type Events struct{}

// Events are none.
func (g *Generator) Events() *Events { return &Events{} }

// TryNext is none.
func (e *Events) TryNext() (Event, bool) { return Event{}, false }

// Next is an error.
func (e *Events) Next(ctx context.Context) (Event, error) { return Event{}, errNoCgo }

// Lease is never open without cgo.
type Lease struct{}

// OpenLease says what to do.
func OpenLease(spec string, given ...Option) (*Lease, error) { return nil, errNoCgo }

// Get is an error.
func (l *Lease) Get() (LeaseInfo, error) { return LeaseInfo{}, errNoCgo }

// Keep is an error.
func (l *Lease) Keep() (time.Duration, error) { return -1, errNoCgo }

// Close is an error.
func (l *Lease) Close() error { return errNoCgo }

// CloseUsed is an error.
func (l *Lease) CloseUsed(last time.Time) error { return errNoCgo }

// ---- layouts --------------------------------------------------------------------------

// ParseLayout is an error.
func ParseLayout(s string) (Layout, error) { return Layout{}, errNoCgo }

// Presets are none.
func Presets() []Layout { return nil }

// Name is empty.
func (l Layout) Name() string { return "" }

// IsSno is false.
func (l Layout) IsSno() bool { return false }

// String says that it is none.
func (l Layout) String() string { return "no layout" }

// Equal is true: there is one value.
func (l Layout) Equal(other Layout) bool { return true }

// Info is zero.
func (l Layout) Info() LayoutInfo { return LayoutInfo{} }

// Compose is an error.
func (l Layout) Compose(f Fields) (ID, error) { return 0, errNoCgo }

// Decompose is an error.
func (l Layout) Decompose(id ID) (Fields, error) { return Fields{}, errNoCgo }

// DatacenterOf is 0.
func (l Layout) DatacenterOf(worker uint32) uint32 { return 0 }

// WorkerInDatacenter is 0.
func (l Layout) WorkerInDatacenter(worker uint32) uint32 { return 0 }

// FirstID is 0.
func (l Layout) FirstID(unixMs int64) ID { return 0 }

// Range is an error.
func (l Layout) Range(fromUnixMs, toUnixMs int64) (first, last ID, err error) { return 0, 0, errNoCgo }

// Overlap is an error.
func (l Layout) Overlap(after Layout, sinceUnixMs int64) (Overlap, error) { return Overlap{}, errNoCgo }

// ---- text -----------------------------------------------------------------------------

// Name is that of decimal text.
func (f Form) Name() string {
	if f == Dec {
		return "dec"
	}
	return "?"
}

// FormByName knows decimal text.
func FormByName(name string) (Form, error) {
	if name == "dec" {
		return Dec, nil
	}
	return 0, errNoCgo
}

// Text writes decimal text, and panics for all other forms.
func (id ID) Text(form Form) string {
	if form != Dec {
		panic(errNoCgo)
	}
	return id.String()
}

// ParseText reads decimal text.
func ParseText(form Form, s string) (ID, error) {
	if form != Dec {
		return 0, errNoCgo
	}
	id, err := strconv.ParseUint(s, 10, 64)
	if err != nil || ID(id).String() != s {
		return 0, newError(EParse, fmt.Sprintf("%q is no id in decimal", s))
	}
	return ID(id), nil
}

// IDFromBytes reads eight bytes, the highest first.
func IDFromBytes(b []byte) (ID, error) {
	if len(b) != 8 {
		return 0, newError(EParse, fmt.Sprintf("an id has 8 bytes, and there are %d", len(b)))
	}
	return ID(binary.BigEndian.Uint64(b)), nil
}

// Shard is an error, as is all that follows.
func Shard(id ID, shards uint32) (uint32, error) { return 0, errNoCgo }

// WorkerHash is an error.
func WorkerHash(hint string, workers uint32) (uint32, error) { return 0, errNoCgo }

// WorkerCollision is an error.
func WorkerCollision(hosts uint32, workers uint64) (uint32, error) { return 0, errNoCgo }

// Kasumi is an error.
func Kasumi(salt, id uint64) (uint64, error) { return 0, errNoCgo }

// Scramble is an error.
func Scramble(salt uint64, checked bool, id ID) (string, error) { return "", errNoCgo }

// Unscramble is an error.
func Unscramble(salt uint64, checked bool, scrambled string) (ID, error) { return 0, errNoCgo }

// FormatTime is an error.
func FormatTime(unixMs int64) (string, error) { return "", errNoCgo }

// ParseTime is an error.
func ParseTime(s string) (int64, error) { return 0, errNoCgo }

// ---- snos -----------------------------------------------------------------------------

// ComposeSno is an error.
func ComposeSno(f SnoFields) (Sno, error) { return Sno{}, errNoCgo }

// Fields are zero.
func (s Sno) Fields() SnoFields { return SnoFields{} }

// String shows the bytes: its text needs the library.
func (s Sno) String() string { return fmt.Sprintf("sno(%x)", s[:]) }

// ParseSno is an error.
func ParseSno(s string) (Sno, error) { return Sno{}, errNoCgo }

// SnoRange is an error.
func SnoRange(fromUnixMs, toUnixMs int64) (first, last Sno, err error) { return Sno{}, Sno{}, errNoCgo }

// UUID shows the bytes.
func (s Sno) UUID() string { return s.String() }

// ParseSnoUUID is an error.
func ParseSnoUUID(s string) (Sno, error) { return Sno{}, errNoCgo }

// SnoFromUUID is an error.
func SnoFromUUID(b []byte) (Sno, error) { return Sno{}, errNoCgo }

// MarshalText is an error.
func (s Sno) MarshalText() ([]byte, error) { return nil, errNoCgo }

// MarshalJSON is an error.
func (s Sno) MarshalJSON() ([]byte, error) { return nil, errNoCgo }

// UnmarshalJSON is an error.
func (s *Sno) UnmarshalJSON(b []byte) error { return errNoCgo }

// Scan reads ten bytes, or nothing.
func (s *Sno) Scan(value interface{}) error {
	b, isBytes := value.([]byte)
	switch {
	case value == nil || isBytes && len(b) == 0:
		*s = Sno{}
	case isBytes && len(b) == len(s):
		copy(s[:], b)
	default:
		return errNoCgo
	}
	return nil
}

// FormatPartition is a decimal number.
func FormatPartition(partition uint16) string { return strconv.Itoa(int(partition)) }

// ParsePartition is an error.
func ParsePartition(s string) (uint16, error) { return 0, errNoCgo }
