// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
	"unsafe"
)

// Sno is an 80-bit id. As text it has 16 characters, which sort as the bytes do.
type Sno [10]byte

// SnoFields are the fields of a sno.
type SnoFields struct {
	UnixMs    int64  // start of the unit of 4 ms
	TickTock  uint8  // 0 or 1: toggled when the clock went back
	Meta      uint8  // a byte of the caller's
	Partition uint16 // its first byte is the high one
	Sequence  uint16 // within the unit
}

// Time is the start of the unit, in UTC.
func (f SnoFields) Time() time.Time { return timeOf(f.UnixMs) }

func (s Sno) raw() C.frazil_sno { return *(*C.frazil_sno)(unsafe.Pointer(&s)) }

func snoOf(raw C.frazil_sno) Sno { return *(*Sno)(unsafe.Pointer(&raw)) }

// ComposeSno is the sno of the given fields; the time is rounded down to its unit.
func ComposeSno(f SnoFields) (Sno, error) {
	fields := C.frazil_sno_fields{
		unix_ms:   C.int64_t(f.UnixMs),
		ticktock:  C.uint8_t(f.TickTock),
		meta:      C.uint8_t(f.Meta),
		partition: C.uint16_t(f.Partition),
		sequence:  C.uint16_t(f.Sequence),
	}
	var sno C.frazil_sno
	var why C.frazil_error
	err := C.frazil_sno_compose(&fields, &sno, &why)
	return snoOf(sno), errorFrom(err, &why)
}

// Fields takes a sno apart.
func (s Sno) Fields() SnoFields {
	f := C.shim_sno_decompose(s.raw())
	return SnoFields{int64(f.unix_ms), uint8(f.ticktock), uint8(f.meta), uint16(f.partition), uint16(f.sequence)}
}

// IsZero says whether it is the sno that stands for "none".
func (s Sno) IsZero() bool { return s == Sno{} }

// Compare is negative, 0 or positive as s sorts before, with or after other.
func (s Sno) Compare(other Sno) int { return bytes.Compare(s[:], other[:]) }

// String is its text.
func (s Sno) String() string {
	written, _ := text(C.shim_sno_encode(s.raw()))
	return written
}

// ParseSno reads 16 characters.
func ParseSno(s string) (Sno, error) {
	var sno C.frazil_sno
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_sno_decode(at, n, &sno, &why)
	return snoOf(sno), errorFrom(err, &why)
}

// SnoRange is the smallest and the largest sno of the units of two instants and of those between.
func SnoRange(fromUnixMs, toUnixMs int64) (first, last Sno, err error) {
	var low, high C.frazil_sno
	var why C.frazil_error
	code := C.frazil_sno_range(C.int64_t(fromUnixMs), C.int64_t(toUnixMs), &low, &high, &why)
	return snoOf(low), snoOf(high), errorFrom(code, &why)
}

// UUID is the sno as a UUID of version 8, 36 characters.
func (s Sno) UUID() string {
	written, _ := text(C.shim_sno_uuid_format(s.raw()))
	return written
}

// ParseSnoUUID reads such a UUID.
func ParseSnoUUID(s string) (Sno, error) {
	var sno C.frazil_sno
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_sno_uuid_parse(at, n, &sno, &why)
	return snoOf(sno), errorFrom(err, &why)
}

// SnoFromUUID reads the 16 bytes of such a UUID.
func SnoFromUUID(b []byte) (Sno, error) {
	var sno C.frazil_sno
	var why C.frazil_error
	at, n := bytesOf(b)
	err := C.frazil_sno_from_uuid(at, n, &sno, &why)
	return snoOf(sno), errorFrom(err, &why)
}

// MarshalText writes its text.
func (s Sno) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads it.
func (s *Sno) UnmarshalText(b []byte) error {
	read, err := ParseSno(string(b))
	if err == nil {
		*s = read
	}
	return err
}

// MarshalJSON writes a string, or null for the zero sno.
func (s Sno) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + s.String() + `"`), nil
}

// UnmarshalJSON reads such a value.
func (s *Sno) UnmarshalJSON(b []byte) error {
	var sno C.frazil_sno
	var why C.frazil_error
	at, n := chars(string(b))
	err := C.frazil_sno_from_json(at, n, &sno, &why)
	if err == C.FRAZIL_OK {
		*s = snoOf(sno)
	}
	return errorFrom(err, &why)
}

// Value is its ten bytes, for a column.
func (s Sno) Value() (driver.Value, error) { return append([]byte(nil), s[:]...), nil }

// Scan reads a column, which holds ten bytes, 16 characters, or nothing: the zero sno.
func (s *Sno) Scan(value interface{}) error {
	var b []byte
	switch v := value.(type) {
	case []byte:
		b = v
	case string:
		b = []byte(v)
	case nil:
	default:
		return newError(EInval, fmt.Sprintf("a column of type %T holds no sno: bytes or text does", value))
	}
	var sno C.frazil_sno
	var why C.frazil_error
	at, n := bytesOf(b)
	err := C.frazil_sno_from_column(at, n, &sno, &why)
	if err == C.FRAZIL_OK {
		*s = snoOf(sno)
	}
	return errorFrom(err, &why)
}

// FormatPartition writes a partition as two bytes with a comma between them, as "A,10".
func FormatPartition(partition uint16) string {
	written, _ := text(C.shim_partition_format(C.uint16_t(partition)))
	return written
}

// ParsePartition reads a number, or two bytes with a comma between them.
func ParsePartition(s string) (uint16, error) {
	var partition C.uint16_t
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_sno_partition_parse(at, n, &partition, &why)
	return uint16(partition), errorFrom(err, &why)
}

// Snapshot is the state of a sno generator, with the names in JSON of sno's own. Times are units of 4 ms since 2010-01-01.
type Snapshot struct {
	Partition   [2]byte `json:"partition"`
	SequenceMin uint16  `json:"sequenceMin"`
	SequenceMax uint16  `json:"sequenceMax"`
	Sequence    uint32  `json:"sequence"` // the last one issued in the unit WallHi; 0 means SequenceMin
	Now         int64   `json:"now"`      // when it was taken
	WallHi      int64   `json:"wallHi"`   // the unit of the last sno
	WallSafe    int64   `json:"wallSafe"` // the clock may not go back to this or below it without waiting
	Drifts      uint32  `json:"drifts"`   // how often the tick-tock bit was toggled
}

// text is the snapshot as the library writes and reads it: numbers alone, which all have a JSON.
func (s Snapshot) text() string {
	b, _ := json.Marshal(s)
	return string(b)
}

func snapshotOf(text string) (s Snapshot, err error) {
	err = json.Unmarshal([]byte(text), &s)
	return s, err
}
