// SPDX-License-Identifier: MIT

// Package fastpath takes ids without a call of C, by the steps that the library's header gives for frazil_fast_path. It is a
// separate package, as cgo and Go's assembly cannot share one.
package fastpath

import (
	"sync/atomic"
	"unsafe"
)

// The forms of the library that are known here.
const (
	none       = 0
	x86TSC     = 1
	armCounter = 2
)

// Path is a frazil_fast_path. Its zero value has no ids.
type Path struct {
	form     uint32
	shift    uint32
	capacity uint64
	word     *uint64
	anchor   *[5]uint64
}

// New returns the path that C has given out. It has no ids if this processor reads another counter than the form means.
func New(form, shift uint32, capacity uint64, word, anchor unsafe.Pointer) Path {
	if form != ours || form == none {
		return Path{}
	}
	return Path{form, shift, capacity, (*uint64)(word), (*[5]uint64)(anchor)}
}

// Take returns an id by the six steps of the header, or false if the library must be called.
func (p *Path) Take() (id uint64, taken bool) {
	if p.form == none {
		return 0, false
	}
	version := atomic.LoadUint64(&p.anchor[0])
	start := atomic.LoadUint64(&p.anchor[1])
	length := atomic.LoadUint64(&p.anchor[2])
	firstSlot := atomic.LoadUint64(&p.anchor[3])
	firstID := atomic.LoadUint64(&p.anchor[4])
	if !isWhole(version, atomic.LoadUint64(&p.anchor[0])) || !inRange(p.form, counter(), start, length) {
		return 0, false
	}
	for {
		word := atomic.LoadUint64(p.word)
		nth := word - firstSlot
		if nth >= p.capacity {
			return 0, false
		}
		if atomic.CompareAndSwapUint64(p.word, word, word+1) {
			return firstID + nth<<(p.shift&63), true
		}
	}
}

// isWhole is steps 1 and 3. It reports whether all that was read between two reads of the version belongs to one tick. The version
// is odd while a tick is written.
func isWhole(before, after uint64) bool {
	return before&1 == 0 && after == before
}

// inRange is step 4.
func inRange(form uint32, now, start, length uint64) bool {
	if form == x86TSC {
		return now>>32 == start>>32 && uint32(now)-uint32(start) < uint32(length)
	}
	return now-start < length
}
