// SPDX-License-Identifier: MIT

package frazil

import "time"

// Form is a text form of 64-bit ids. Forms of fixed width sort as the numbers do.
type Form int32

// The forms.
const (
	Dec       Form = 0  // decimal, no leading zero
	DecPadded Form = 1  // decimal, 20 digits
	Hex       Form = 2  // 16 hex digits
	Crockford Form = 3  // 13 characters of Crockford's base 32
	Base36    Form = 4  // 0-9a-z, no padding
	Base58    Form = 5  // lower case first, no padding
	Base62    Form = 6  // 11 of 0-9A-Za-z
	Base64URL Form = 7  // 11 characters, of the 8 big-endian bytes
	Bin       Form = 8  // 64 binary digits in groups of four
	Bytes     Form = 9  // the 8 big-endian bytes as hex digits
	Hex0x     Form = 10 // 0x and hex digits, no padding
	HexShort  Form = 11 // hex digits, no padding
	Signed    Form = 12 // decimal of the same bits as a signed number
)

// timeOf returns an instant of the library as a time in UTC.
func timeOf(unixMs int64) time.Time { return time.UnixMilli(unixMs).UTC() }
