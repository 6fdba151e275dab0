// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"unsafe"
)

func (s Sno) raw() C.frazil_sno { return *(*C.frazil_sno)(unsafe.Pointer(&s)) }

func snoOf(raw C.frazil_sno) Sno { return *(*Sno)(unsafe.Pointer(&raw)) }

// ComposeSno returns the sno with the given fields; the time is rounded down to its unit.
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

// Fields returns the fields of the sno.
func (s Sno) Fields() SnoFields {
	f := C.shim_sno_decompose(s.raw())
	return SnoFields{int64(f.unix_ms), uint8(f.ticktock), uint8(f.meta), uint16(f.partition), uint16(f.sequence)}
}

// String returns the 16 characters of the sno.
func (s Sno) String() string {
	written, _ := text(C.shim_sno_encode(s.raw()))
	return written
}

// ParseSno reads the 16 characters of a sno.
func ParseSno(s string) (Sno, error) {
	var sno C.frazil_sno
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_sno_decode(at, n, &sno, &why)
	return snoOf(sno), errorFrom(err, &why)
}

// SnoRange returns the smallest and the largest sno of the units from one instant to another, both included.
func SnoRange(fromUnixMs, toUnixMs int64) (first, last Sno, err error) {
	var low, high C.frazil_sno
	var why C.frazil_error
	code := C.frazil_sno_range(C.int64_t(fromUnixMs), C.int64_t(toUnixMs), &low, &high, &why)
	return snoOf(low), snoOf(high), errorFrom(code, &why)
}

// UUID returns the sno as a UUID of version 8, in 36 characters.
func (s Sno) UUID() string {
	written, _ := text(C.shim_sno_uuid_format(s.raw()))
	return written
}

// ParseSnoUUID reads a UUID that UUID has written.
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

// UnmarshalJSON reads a string, or null for the zero sno.
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

// Scan reads a column, which holds ten bytes, 16 characters, or nothing for the zero sno.
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

// MarshalText returns the 16 characters of the sno.
func (s Sno) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON returns a string, or null for the zero sno.
func (s Sno) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + s.String() + `"`), nil
}

// text returns the snapshot in the library's form: numbers only, so encoding cannot fail.
func (s Snapshot) text() string {
	b, _ := json.Marshal(s)
	return string(b)
}

func snapshotOf(text string) (s Snapshot, err error) {
	err = json.Unmarshal([]byte(text), &s)
	return s, err
}
