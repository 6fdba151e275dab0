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
	Meta      uint8  // the metabyte, chosen by the caller
	Partition uint16 // the partition; its first byte is the high one
	Sequence  uint16 // the number within the unit
}

// Time returns the start of the unit, in UTC.
func (f SnoFields) Time() time.Time { return timeOf(f.UnixMs) }

// IsZero reports whether s is the zero sno, which means "none".
func (s Sno) IsZero() bool { return s == Sno{} }

// Compare returns a number that is negative, 0 or positive if s sorts before, with or after other.
func (s Sno) Compare(other Sno) int { return bytes.Compare(s[:], other[:]) }

// UnmarshalText reads the 16 characters of a sno.
func (s *Sno) UnmarshalText(b []byte) error {
	read, err := ParseSno(string(b))
	if err == nil {
		*s = read
	}
	return err
}

// Value returns the ten bytes, for a column.
func (s Sno) Value() (driver.Value, error) { return append([]byte(nil), s[:]...), nil }

// Snapshot is the state of a sno generator. Its JSON has the names of sno's snapshots. Times are units of 4 ms since 2010-01-01.
type Snapshot struct {
	Partition   [2]byte `json:"partition"`
	SequenceMin uint16  `json:"sequenceMin"`
	SequenceMax uint16  `json:"sequenceMax"`
	Sequence    uint32  `json:"sequence"` // the last one issued in the unit WallHi; 0 means SequenceMin
	Now         int64   `json:"now"`      // when the snapshot was taken
	WallHi      int64   `json:"wallHi"`   // the unit of the last sno
	WallSafe    int64   `json:"wallSafe"` // if the clock goes back to this or below, the generator waits
	Drifts      uint32  `json:"drifts"`   // how often the tick-tock bit was toggled
}
