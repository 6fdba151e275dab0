// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"strconv"
	"unsafe"
)

// Name returns the form's name in the frazil command, such as "crockford".
func (f Form) Name() string {
	name := C.frazil_text_name(C.frazil_text(f))
	if name == nil {
		return "?"
	}
	return C.GoString(name)
}

// FormByName returns the form with this name.
func FormByName(name string) (Form, error) {
	for form := Form(0); C.frazil_text_name(C.frazil_text(form)) != nil; form++ {
		if form.Name() == name {
			return form, nil
		}
	}
	return 0, newError(EInval, "there is no text form '"+name+"'")
}

// text copies a text that the library has written.
func text(written C.shim_text) (string, error) {
	if written.err != C.FRAZIL_OK {
		return "", errorOf(written.err)
	}
	return C.GoStringN(&written.bytes[0], C.int(written.len)), nil
}

// chars returns the address and the length of a text, as the library takes them. The call keeps the text alive.
func chars(s string) (*C.char, C.size_t) {
	if s == "" {
		return emptyText, 0
	}
	return (*C.char)(unsafe.Pointer(&[]byte(s)[0])), C.size_t(len(s))
}

var emptyText = C.CString("")

// bytesOf returns the address of bytes, or NULL if there are none.
func bytesOf(b []byte) (unsafe.Pointer, C.size_t) {
	if len(b) == 0 {
		return nil, 0
	}
	return unsafe.Pointer(&b[0]), C.size_t(len(b))
}

// Text returns the id in one of the text forms. It panics if there is no such form.
func (id ID) Text(form Form) string {
	s, err := text(C.shim_id_format(C.int(form), C.uint64_t(id)))
	if err != nil {
		panic("frazil: there is no text form " + strconv.Itoa(int(form)))
	}
	return s
}

// ParseText reads an id in one of the text forms. It returns EParse for text that the form would not write.
func ParseText(form Form, s string) (ID, error) {
	var id C.uint64_t
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_id_parse(C.frazil_text(form), at, n, &id, &why)
	if err == C.FRAZIL_EINVAL {
		return 0, errorOf(err)
	}
	return ID(id), errorFrom(err, &why)
}

// IDFromBytes reads 8 bytes, big-endian. It returns EParse for another number of bytes.
func IDFromBytes(b []byte) (ID, error) {
	var id C.uint64_t
	var why C.frazil_error
	at, n := bytesOf(b)
	err := C.frazil_bytes_read(at, n, &id, &why)
	return ID(id), errorFrom(err, &why)
}

// Shard returns the shard of an id as konayuki computes it: CRC-32 of the decimal text, modulo shards.
func Shard(id ID, shards uint32) (uint32, error) {
	found := C.shim_shard(C.uint64_t(id), C.uint32_t(shards))
	return uint32(found.id), errorOf(found.err)
}

// WorkerHash returns a worker number for a host name or address as konayuki computes it. Two hosts can get the same number.
func WorkerHash(hint string, workers uint32) (uint32, error) {
	var worker C.uint32_t
	at, n := chars(hint)
	err := C.frazil_worker_hash(at, n, C.uint32_t(workers), &worker)
	return uint32(worker), errorOf(err)
}

// WorkerCollision returns the probability that two hosts share a hashed worker number, in parts per million, rounded up.
func WorkerCollision(hosts uint32, workers uint64) (uint32, error) {
	found := C.shim_collision(C.uint32_t(hosts), C.uint64_t(workers))
	return uint32(found.id), errorOf(found.err)
}

// Kasumi scrambles an id, or unscrambles a scrambled one. It hides nothing from an attacker. The salt must be odd.
func Kasumi(salt, id uint64) (uint64, error) {
	found := C.shim_kasumi(C.uint64_t(salt), C.uint64_t(id))
	return uint64(found.id), errorOf(found.err)
}

// Scramble returns a scrambled id as 14 characters, or as 19 with check digits.
func Scramble(salt uint64, checked bool, id ID) (string, error) {
	return text(C.shim_scramble(C.uint64_t(salt), C.bool(checked), C.uint64_t(id)))
}

// Unscramble reads a text that Scramble has written.
func Unscramble(salt uint64, checked bool, scrambled string) (ID, error) {
	var id C.uint64_t
	var why C.frazil_error
	at, n := chars(scrambled)
	var flags C.uint32_t
	if checked {
		flags = C.FRAZIL_KASUMI_CHECKED
	}
	err := C.frazil_unscramble(C.uint64_t(salt), flags, at, n, &id, &why)
	return ID(id), errorFrom(err, &why)
}

// FormatTime returns an instant as RFC 3339 in UTC, always with milliseconds.
func FormatTime(unixMs int64) (string, error) {
	return text(C.shim_time_format(C.int64_t(unixMs)))
}

// ParseTime reads RFC 3339, a date alone, or Unix milliseconds.
func ParseTime(s string) (int64, error) {
	var unixMs C.int64_t
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_time_parse(at, n, &unixMs, &why)
	return int64(unixMs), errorFrom(err, &why)
}
