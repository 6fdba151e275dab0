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
	// SizeBinary is how many bytes an ID has.
	SizeBinary = 10
	// SizeEncoded is how many characters its text has.
	SizeEncoded = 16
	// Epoch is when the time of ids begins, in Unix seconds: 2010-01-01.
	Epoch = 1262304000
	// TimeUnit is the unit of that time, in nanoseconds.
	TimeUnit = 4e6
	// MaxTimestamp is the largest number of units.
	MaxTimestamp = 1<<39 - 1
	// MaxPartition is the largest partition as a number.
	MaxPartition = 1<<16 - 1
	// MaxSequence is the largest sequence number.
	MaxSequence = 1<<16 - 1
)

// InvalidDataSizeError says that data has not as many bytes as an ID, or its text, has.
type InvalidDataSizeError struct{ Size int }

// Error is the sentence.
func (e *InvalidDataSizeError) Error() string { return "sno: unrecognized data size" }

// InvalidTypeError says that a column is of a type that holds no ID.
type InvalidTypeError struct{ Value interface{} }

// Error is the sentence.
func (e *InvalidTypeError) Error() string {
	return fmt.Sprintf("sno: unrecognized data type: %T", e.Value)
}

// ID is a sno.
type ID [SizeBinary]byte

// Time is when it was made, to the unit.
func (id ID) Time() time.Time { return time.UnixMilli(frazil.Sno(id).Fields().UnixMs) }

// Timestamp is the same in Unix nanoseconds.
func (id ID) Timestamp() int64 { return frazil.Sno(id).Fields().UnixMs * 1e6 }

// Meta is the metabyte.
func (id ID) Meta() byte { return id[5] }

// Partition is the partition.
func (id ID) Partition() Partition { return Partition{id[6], id[7]} }

// Sequence is the number within the unit.
func (id ID) Sequence() uint16 { return uint16(id[8])<<8 | uint16(id[9]) }

// IsZero says whether it stands for "none".
func (id ID) IsZero() bool { return id == ID{} }

// String is its text.
func (id ID) String() string { return frazil.Sno(id).String() }

// Bytes are its bytes, a copy.
func (id ID) Bytes() []byte { return append([]byte(nil), id[:]...) }

// Compare is -1, 0 or 1 as id sorts before, with or after that.
func (id ID) Compare(that ID) int { return bytes.Compare(id[:], that[:]) }

// MarshalBinary writes its bytes.
func (id ID) MarshalBinary() ([]byte, error) { return id.Bytes(), nil }

// UnmarshalBinary reads them.
func (id *ID) UnmarshalBinary(src []byte) error {
	if len(src) != SizeBinary {
		return &InvalidDataSizeError{Size: len(src)}
	}
	copy(id[:], src)
	return nil
}

// MarshalText writes its text.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads it. A character outside of 2-9a-x is an error.
func (id *ID) UnmarshalText(src []byte) error {
	read, err := FromEncodedString(string(src))
	if err == nil {
		*id = read
	}
	return err
}

// MarshalJSON writes a string, or null for the zero ID.
func (id ID) MarshalJSON() ([]byte, error) { return frazil.Sno(id).MarshalJSON() }

// UnmarshalJSON reads such a value.
func (id *ID) UnmarshalJSON(src []byte) error {
	if n := len(src); n != SizeEncoded+2 && string(src) != "null" {
		return &InvalidDataSizeError{Size: n}
	}
	return (*frazil.Sno)(id).UnmarshalJSON(src)
}

// Value is its bytes, for a column.
func (id ID) Value() (driver.Value, error) { return id.MarshalBinary() }

// Scan reads a column: its bytes, its text as a string, or nothing for the zero ID. After an error it is the zero ID, unless
// the type was wrong.
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

// FromBinaryBytes reads an ID's bytes.
func FromBinaryBytes(src []byte) (id ID, err error) {
	err = id.UnmarshalBinary(src)
	return id, err
}

// FromEncodedBytes reads an ID's text.
func FromEncodedBytes(src []byte) (ID, error) { return FromEncodedString(string(src)) }

// FromEncodedString reads an ID's text.
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

// Sort sorts by time first, as the text sorts.
func Sort(s []ID) { sort.Sort(collection(s)) }

// Zero is the zero ID.
func Zero() ID { return ID{} }

// Partition is two bytes of an ID that tell generators apart.
type Partition [2]byte

// AsUint16 is the partition as a number, its first byte the high one.
func (p Partition) AsUint16() uint16 { return uint16(p[0])<<8 | uint16(p[1]) }

// PutUint16 sets it from such a number.
func (p *Partition) PutUint16(u uint16) { p[0], p[1] = byte(u>>8), byte(u) }
