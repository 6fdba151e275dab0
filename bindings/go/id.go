// SPDX-License-Identifier: MIT

package frazil

import (
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"
)

// ID is a 64-bit id. As text and in JSON it is a string of decimal digits, because JSON numbers are not exact above 2^53. In a
// database it is a BIGINT.
type ID uint64

// String returns the id in decimal.
func (id ID) String() string { return strconv.FormatUint(uint64(id), 10) }

// ParseID reads decimal digits.
func ParseID(s string) (ID, error) { return ParseText(Dec, s) }

// Bytes returns the 8 bytes, big-endian: they sort as the numbers do.
func (id ID) Bytes() [8]byte {
	var b [8]byte
	for i := range b {
		b[i] = byte(id >> (56 - 8*i))
	}
	return b
}

// MarshalText returns decimal digits.
func (id ID) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(id), 10), nil }

// UnmarshalText reads decimal digits.
func (id *ID) UnmarshalText(b []byte) error {
	read, err := ParseID(string(b))
	if err == nil {
		*id = read
	}
	return err
}

// MarshalJSON returns a string of decimal digits.
func (id ID) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 22), '"')
	return append(strconv.AppendUint(b, uint64(id), 10), '"'), nil
}

// UnmarshalJSON reads a string, or a number without a fraction or an exponent. null leaves the id unchanged.
func (id *ID) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if len(b) >= 2 && b[0] == '"' && b[len(b)-1] == '"' {
		b = b[1 : len(b)-1]
	}
	return id.UnmarshalText(b)
}

// Value returns the id for a column of signed 64-bit numbers. It returns ERange for an id above the largest of them; store such
// ids as text.
func (id ID) Value() (driver.Value, error) {
	if id > math.MaxInt64 {
		return nil, newError(ERange, fmt.Sprintf(
			"the id %d does not fit a signed 64-bit column: keep it as text, such as Text(frazil.Crockford)", uint64(id)))
	}
	return int64(id), nil
}

// Scan reads a column of numbers or of decimal text.
func (id *ID) Scan(value interface{}) error {
	switch v := value.(type) {
	case int64:
		if v < 0 {
			return newError(ERange, fmt.Sprintf("%d is no id, as it is negative", v))
		}
		*id = ID(v)
	case uint64:
		*id = ID(v)
	case string:
		return id.UnmarshalText([]byte(v))
	case []byte:
		return id.UnmarshalText(v)
	default:
		return newError(EInval, fmt.Sprintf("a column of type %T holds no id: BIGINT or text does", value))
	}
	return nil
}
