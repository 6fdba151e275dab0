// SPDX-License-Identifier: MIT

//go:build !cgo

package frazil

// The library is written in C. Without cgo programs still compile: they can read and write ids as numbers, decimal text and
// bytes. All that needs the library returns an error that says what to do.

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"
)

var errNoCgo = newError(ENotBuilt, "frazil is written in C, and this program was built without cgo: build it with CGO_ENABLED=1 and a "+
	"C compiler (CC names one for another system), or take ids from frazild, which speaks Redis and HTTP")

// Name returns the number of the code in the table of errors.
func (c Code) Name() string { return "error " + strconv.Itoa(int(c)) }

// Error returns a sentence with the number.
func (c Code) Error() string { return "frazil: " + c.Name() }

// Class returns Usage, the class of all errors without cgo.
func (c Code) Class() Class { return Usage }

// String returns the class in lower case.
func (c Class) String() string { return "usage" }

// Unwrap returns nil, as no error comes from the system.
func (e *Error) Unwrap() error { return nil }

// Generator is never open without cgo.
type Generator struct{}

// String reports that the generator is not open.
func (g *Generator) String() string { return "frazil.Generator(not opened)" }

// ManualClock is never made without cgo.
type ManualClock struct{}

// Layout is always the zero value without cgo.
type Layout struct{}

// Version reports that there is no library.
func Version() string { return "none, without cgo" }

// Open returns an error that says what to do.
func Open(spec string, given ...Option) (*Generator, error) { return nil, errNoCgo }

// OpenShared returns an error that says what to do.
func OpenShared(spec string, given ...Option) (*Generator, error) { return nil, errNoCgo }

// Check returns an error that says what to do.
func Check(spec string, given ...Option) error { return errNoCgo }

// NewManualClock returns an error that says what to do.
func NewManualClock(unixMs int64) (*ManualClock, error) { return nil, errNoCgo }

// Set panics, as no clock was made.
func (c *ManualClock) Set(unixMs int64) { panic(errNoCgo) }

// Advance panics, as no clock was made.
func (c *ManualClock) Advance(d time.Duration) { panic(errNoCgo) }

// ---- generators -----------------------------------------------------------------------

// Next returns an error that says what to do.
func (g *Generator) Next() (ID, error) { return 0, errNoCgo }

// MustNext panics.
func (g *Generator) MustNext() ID { panic(errNoCgo) }

// TryNext returns an error.
func (g *Generator) TryNext() (ID, error) { return 0, errNoCgo }

// Fill returns an error.
func (g *Generator) Fill(ids []ID) error { return errNoCgo }

// Take returns an error.
func (g *Generator) Take(ctx context.Context, n int) ([]ID, error) { return nil, errNoCgo }

// NextAt returns an error.
func (g *Generator) NextAt(t time.Time) (ID, error) { return 0, errNoCgo }

// NextSno returns an error.
func (g *Generator) NextSno(meta byte) (Sno, error) { return Sno{}, errNoCgo }

// TryNextSno returns an error.
func (g *Generator) TryNextSno(meta byte) (Sno, error) { return Sno{}, errNoCgo }

// FillSnos returns an error.
func (g *Generator) FillSnos(meta byte, snos []Sno) error { return errNoCgo }

// NextSnoAt returns an error.
func (g *Generator) NextSnoAt(meta byte, t time.Time) (Sno, error) { return Sno{}, errNoCgo }

// Snapshot returns an error.
func (g *Generator) Snapshot() (Snapshot, error) { return Snapshot{}, errNoCgo }

// Keep returns an error.
func (g *Generator) Keep() (time.Duration, error) { return -1, errNoCgo }

// Close returns an error.
func (g *Generator) Close() error { return errNoCgo }

// Stop does nothing.
func (g *Generator) Stop() {}

// Info returns zeros.
func (g *Generator) Info() Info { return Info{} }

// Layout returns the zero value.
func (g *Generator) Layout() Layout { return Layout{} }

// Available returns 0.
func (g *Generator) Available() uint64 { return 0 }

// Stats returns nil.
func (g *Generator) Stats() map[string]uint64 { return nil }

// Health returns the health of a stopped generator.
func (g *Generator) Health() Health { return Health{State: Stopped} }

// IDs yields one error, which says what to do.
func (g *Generator) IDs() func(yield func(ID, error) bool) {
	return func(yield func(ID, error) bool) { yield(0, errNoCgo) }
}

// TakeSnos returns an error.
func (g *Generator) TakeSnos(ctx context.Context, meta byte, n int) ([]Sno, error) {
	return nil, errNoCgo
}

// String returns "?".
func (k EventKind) String() string { return "?" }

// MarshalText returns "?".
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText returns an error, as the library has the names.
func (k *EventKind) UnmarshalText(text []byte) error { return errNoCgo }

// Events is always empty without cgo.
type Events struct{}

// Events returns an empty reader.
func (g *Generator) Events() *Events { return &Events{} }

// TryNext returns false.
func (e *Events) TryNext() (Event, bool) { return Event{}, false }

// Next returns an error.
func (e *Events) Next(ctx context.Context) (Event, error) { return Event{}, errNoCgo }

// Lease is never open without cgo.
type Lease struct{}

// OpenLease returns an error that says what to do.
func OpenLease(spec string, given ...Option) (*Lease, error) { return nil, errNoCgo }

// Get returns an error.
func (l *Lease) Get() (LeaseInfo, error) { return LeaseInfo{}, errNoCgo }

// Keep returns an error.
func (l *Lease) Keep() (time.Duration, error) { return -1, errNoCgo }

// Close returns an error.
func (l *Lease) Close() error { return errNoCgo }

// CloseUsed returns an error.
func (l *Lease) CloseUsed(last time.Time) error { return errNoCgo }

// ---- layouts --------------------------------------------------------------------------

// ParseLayout returns an error.
func ParseLayout(s string) (Layout, error) { return Layout{}, errNoCgo }

// Presets returns nil.
func Presets() []Layout { return nil }

// Name returns "".
func (l Layout) Name() string { return "" }

// IsSno returns false.
func (l Layout) IsSno() bool { return false }

// String returns "no layout".
func (l Layout) String() string { return "no layout" }

// Equal returns true, as there is only one value.
func (l Layout) Equal(other Layout) bool { return true }

// Info returns zeros.
func (l Layout) Info() LayoutInfo { return LayoutInfo{} }

// Compose returns an error.
func (l Layout) Compose(f Fields) (ID, error) { return 0, errNoCgo }

// Decompose returns an error.
func (l Layout) Decompose(id ID) (Fields, error) { return Fields{}, errNoCgo }

// DatacenterOf returns 0.
func (l Layout) DatacenterOf(worker uint32) uint32 { return 0 }

// WorkerInDatacenter returns 0.
func (l Layout) WorkerInDatacenter(worker uint32) uint32 { return 0 }

// FirstID returns 0.
func (l Layout) FirstID(unixMs int64) ID { return 0 }

// Range returns an error.
func (l Layout) Range(fromUnixMs, toUnixMs int64) (first, last ID, err error) { return 0, 0, errNoCgo }

// Overlap returns an error.
func (l Layout) Overlap(after Layout, sinceUnixMs int64) (Overlap, error) { return Overlap{}, errNoCgo }

// ---- text -----------------------------------------------------------------------------

// Name returns the name of decimal text.
func (f Form) Name() string {
	if f == Dec {
		return "dec"
	}
	return "?"
}

// FormByName knows only decimal text.
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

// IDFromBytes reads eight bytes, big-endian.
func IDFromBytes(b []byte) (ID, error) {
	if len(b) != 8 {
		return 0, newError(EParse, fmt.Sprintf("an id has 8 bytes, and there are %d", len(b)))
	}
	return ID(binary.BigEndian.Uint64(b)), nil
}

// Shard returns an error.
func Shard(id ID, shards uint32) (uint32, error) { return 0, errNoCgo }

// WorkerHash returns an error.
func WorkerHash(hint string, workers uint32) (uint32, error) { return 0, errNoCgo }

// WorkerCollision returns an error.
func WorkerCollision(hosts uint32, workers uint64) (uint32, error) { return 0, errNoCgo }

// Kasumi returns an error.
func Kasumi(salt, id uint64) (uint64, error) { return 0, errNoCgo }

// Scramble returns an error.
func Scramble(salt uint64, checked bool, id ID) (string, error) { return "", errNoCgo }

// Unscramble returns an error.
func Unscramble(salt uint64, checked bool, scrambled string) (ID, error) { return 0, errNoCgo }

// FormatTime returns an error.
func FormatTime(unixMs int64) (string, error) { return "", errNoCgo }

// ParseTime returns an error.
func ParseTime(s string) (int64, error) { return 0, errNoCgo }

// ---- snos -----------------------------------------------------------------------------

// ComposeSno returns an error.
func ComposeSno(f SnoFields) (Sno, error) { return Sno{}, errNoCgo }

// Fields returns zeros.
func (s Sno) Fields() SnoFields { return SnoFields{} }

// String shows the bytes, as the text form needs the library.
func (s Sno) String() string { return fmt.Sprintf("sno(%x)", s[:]) }

// ParseSno returns an error.
func ParseSno(s string) (Sno, error) { return Sno{}, errNoCgo }

// SnoRange returns an error.
func SnoRange(fromUnixMs, toUnixMs int64) (first, last Sno, err error) { return Sno{}, Sno{}, errNoCgo }

// UUID shows the bytes.
func (s Sno) UUID() string { return s.String() }

// ParseSnoUUID returns an error.
func ParseSnoUUID(s string) (Sno, error) { return Sno{}, errNoCgo }

// SnoFromUUID returns an error.
func SnoFromUUID(b []byte) (Sno, error) { return Sno{}, errNoCgo }

// MarshalText returns an error.
func (s Sno) MarshalText() ([]byte, error) { return nil, errNoCgo }

// MarshalJSON returns an error.
func (s Sno) MarshalJSON() ([]byte, error) { return nil, errNoCgo }

// UnmarshalJSON returns an error.
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

// FormatPartition returns a decimal number.
func FormatPartition(partition uint16) string { return strconv.Itoa(int(partition)) }

// ParsePartition returns an error.
func ParsePartition(s string) (uint16, error) { return 0, errNoCgo }
