// SPDX-License-Identifier: MIT

package sno

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"sort"
	"time"

	frazil "github.com/frazil/frazil-go"
)

const (
	// SizeBinary is the number of bytes of an ID.
	SizeBinary = 10
	// SizeEncoded is the number of characters of an ID's text.
	SizeEncoded = 16
	// Epoch is the start of ID time, in Unix seconds: 2010-01-01.
	Epoch = 1262304000
	// TimeUnit is the unit of ID time, in nanoseconds.
	TimeUnit = 4e6
	// MaxTimestamp is the largest number of units.
	MaxTimestamp = 1<<39 - 1
	// MaxPartition is the largest partition as a number.
	MaxPartition = 1<<16 - 1
	// MaxSequence is the largest sequence number.
	MaxSequence = 1<<16 - 1
)

// InvalidDataSizeError reports that data does not have the size of an ID or of its text.
type InvalidDataSizeError struct{ Size int }

// Error returns the sentence.
func (e *InvalidDataSizeError) Error() string { return "sno: unrecognized data size" }

// InvalidTypeError reports that a column has a type that cannot hold an ID.
type InvalidTypeError struct{ Value interface{} }

// Error returns the sentence.
func (e *InvalidTypeError) Error() string {
	return fmt.Sprintf("sno: unrecognized data type: %T", e.Value)
}

// ID is a sno.
type ID [SizeBinary]byte

// Time returns when the ID was made, rounded down to the unit.
func (id ID) Time() time.Time { return time.UnixMilli(frazil.Sno(id).Fields().UnixMs) }

// Timestamp returns the same time in Unix nanoseconds.
func (id ID) Timestamp() int64 { return frazil.Sno(id).Fields().UnixMs * 1e6 }

// Meta returns the metabyte.
func (id ID) Meta() byte { return id[5] }

// Partition returns the partition.
func (id ID) Partition() Partition { return Partition{id[6], id[7]} }

// Sequence returns the number within the unit.
func (id ID) Sequence() uint16 { return uint16(id[8])<<8 | uint16(id[9]) }

// IsZero reports whether the ID is the zero ID, which means "none".
func (id ID) IsZero() bool { return id == ID{} }

// String returns the text of the ID.
func (id ID) String() string { return frazil.Sno(id).String() }

// Bytes returns a copy of the bytes.
func (id ID) Bytes() []byte { return append([]byte(nil), id[:]...) }

// Compare returns -1, 0 or 1 if id sorts before, with or after that.
func (id ID) Compare(that ID) int { return bytes.Compare(id[:], that[:]) }

// MarshalBinary returns the bytes.
func (id ID) MarshalBinary() ([]byte, error) { return id.Bytes(), nil }

// UnmarshalBinary reads the bytes.
func (id *ID) UnmarshalBinary(src []byte) error {
	if len(src) != SizeBinary {
		return &InvalidDataSizeError{Size: len(src)}
	}
	copy(id[:], src)
	return nil
}

// MarshalText returns the text.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the text. A character outside 2-9a-x is an error.
func (id *ID) UnmarshalText(src []byte) error {
	read, err := FromEncodedString(string(src))
	if err == nil {
		*id = read
	}
	return err
}

// MarshalJSON returns a string, or null for the zero ID.
func (id ID) MarshalJSON() ([]byte, error) { return frazil.Sno(id).MarshalJSON() }

// UnmarshalJSON reads a string, or null for the zero ID.
func (id *ID) UnmarshalJSON(src []byte) error {
	if n := len(src); n != SizeEncoded+2 && string(src) != "null" {
		return &InvalidDataSizeError{Size: n}
	}
	return (*frazil.Sno)(id).UnmarshalJSON(src)
}

// Value returns the bytes, for a column.
func (id ID) Value() (driver.Value, error) { return id.MarshalBinary() }

// Scan reads a column: bytes, text as a string, or nothing for the zero ID. After an error the ID is the zero ID, unless the
// type was wrong.
func (id *ID) Scan(value interface{}) error {
	switch v := value.(type) {
	case nil:
		*id = ID{}
		return nil
	case []byte:
		*id = ID{}
		if len(v) == 0 {
			return nil
		}
		return id.UnmarshalBinary(v)
	case string:
		*id = ID{}
		if v == "" {
			return nil
		}
		return id.UnmarshalText([]byte(v))
	}
	return &InvalidTypeError{Value: value}
}

// FromBinaryBytes reads the bytes of an ID.
func FromBinaryBytes(src []byte) (id ID, err error) {
	err = id.UnmarshalBinary(src)
	return id, err
}

// FromEncodedBytes reads the text of an ID.
func FromEncodedBytes(src []byte) (ID, error) { return FromEncodedString(string(src)) }

// FromEncodedString reads the text of an ID.
func FromEncodedString(src string) (ID, error) {
	if len(src) != SizeEncoded {
		return ID{}, &InvalidDataSizeError{Size: len(src)}
	}
	read, err := frazil.ParseSno(src)
	return ID(read), err
}

type collection []ID

func (ids collection) Len() int           { return len(ids) }
func (ids collection) Less(i, j int) bool { return ids[i].Compare(ids[j]) < 0 }
func (ids collection) Swap(i, j int)      { ids[i], ids[j] = ids[j], ids[i] }

// Sort sorts by time first, in the same order as the texts.
func Sort(s []ID) { sort.Sort(collection(s)) }

// Zero returns the zero ID.
func Zero() ID { return ID{} }

// Partition is the two bytes of an ID that identify its generator.
type Partition [2]byte

// AsUint16 returns the partition as a number; the first byte is the high one.
func (p Partition) AsUint16() uint16 { return uint16(p[0])<<8 | uint16(p[1]) }

// PutUint16 sets the partition from such a number.
func (p *Partition) PutUint16(u uint16) { p[0], p[1] = byte(u>>8), byte(u) }
