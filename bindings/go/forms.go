// SPDX-License-Identifier: MIT

package frazil

import "time"

// Form is a text form of 64-bit ids. Forms of fixed width sort as the numbers do, except Base64URL.
type Form int32

// The forms.
const (
	Dec       Form = 0  // decimal, no leading zero: up to 20 digits
	DecPadded Form = 1  // decimal, 20 digits
	Hex       Form = 2  // 16 hex digits, lower case; read in either case, and as 0x with 1 to 16 digits
	Crockford Form = 3  // 13 of 0-9A-HJKMNP-TV-Z (Crockford's base 32); read in either case, I and L as 1, O as 0
	Base36    Form = 4  // 0-9a-z, no padding
	Base58    Form = 5  // 1-9a-km-zA-HJ-NP-Z (lower case first, as Flickr's), no padding; needs a case-sensitive collation
	Base62    Form = 6  // 11 of 0-9A-Za-z; needs a case-sensitive collation
	Base64URL Form = 7  // 11: RFC 4648 section 5 without padding, of the 8 big-endian bytes; needs a case-sensitive collation
	Bin       Form = 8  // 64 binary digits in groups of four, separated by spaces
	Bytes     Form = 9  // the 8 big-endian bytes, as 16 hex digits; read also with a space between bytes
	Hex0x     Form = 10 // 0x and hex digits, lower case, no padding; the digits are read in either case
	HexShort  Form = 11 // hex digits, lower case, no padding; read in either case
	Signed    Form = 12 // decimal of the same 64 bits as a signed number, as in BIGINT and Java's long: from 2^63 on, the id less 2^64. No leading zero, no +
)

// timeOf returns an instant of the library as a time in UTC.
func timeOf(unixMs int64) time.Time { return time.UnixMilli(unixMs).UTC() }
