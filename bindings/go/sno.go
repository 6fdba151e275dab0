// SPDX-License-Identifier: MIT

package frazil

import (
	"bytes"
	"database/sql/driver"
	"time"
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

// IsZero says whether it is the sno that stands for "none".
func (s Sno) IsZero() bool { return s == Sno{} }

// Compare is negative, 0 or positive as s sorts before, with or after other.
func (s Sno) Compare(other Sno) int { return bytes.Compare(s[:], other[:]) }

// UnmarshalText reads it.
func (s *Sno) UnmarshalText(b []byte) error {
	read, err := ParseSno(string(b))
	if err == nil {
		*s = read
	}
	return err
}

// Value is its ten bytes, for a column.
func (s Sno) Value() (driver.Value, error) { return append([]byte(nil), s[:]...), nil }

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
