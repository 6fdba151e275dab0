// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

// Layout describes where the fields of an id are. The zero value is not a layout: make one with ParseLayout.
type Layout struct{ raw C.frazil_layout }

// ParseLayout reads the name of a preset, or a description such as "41/10/12 epoch=2026-01-01 tick=1ms".
func ParseLayout(s string) (Layout, error) {
	var layout Layout
	var why C.frazil_error
	at, n := chars(s)
	err := C.frazil_layout_parse(at, n, &layout.raw, &why)
	return layout, errorFrom(err, &why)
}

// Presets returns all presets, in the order of the manual.
func Presets() []Layout {
	var layouts []Layout
	for preset := C.frazil_layout_preset(0); preset != nil; preset = C.frazil_layout_preset(C.size_t(len(layouts))) {
		layouts = append(layouts, Layout{raw: *preset})
	}
	return layouts
}

// isNone reports whether l is the zero value, which the library must not see.
func (l Layout) isNone() bool { return l.raw.tick_ms == 0 }

func errNoLayout() error { return newError(EInval, "the layout is none: make one with ParseLayout") }

// Name returns the name of the preset with these fields, or "custom"; "" for the zero value.
func (l Layout) Name() string { return C.GoString(&l.raw.name[0]) }

// IsSno reports whether the ids of the layout are snos.
func (l Layout) IsSno() bool { return l.raw.kind == C.FRAZIL_LAYOUT_SNO }

// String returns a text from which ParseLayout makes the same layout. Equal layouts may have different texts.
func (l Layout) String() string {
	var buf [C.FRAZIL_FINGERPRINT_SIZE]C.char
	var n C.size_t
	if l.isNone() || C.frazil_layout_fingerprint(&l.raw, &buf[0], C.size_t(len(buf)), &n) != C.FRAZIL_OK {
		return "no layout"
	}
	return C.GoStringN(&buf[0], C.int(n))
}

// Equal reports whether equal fields give equal ids in both layouts.
func (l Layout) Equal(other Layout) bool {
	if l.isNone() || other.isNone() {
		return l.isNone() && other.isNone()
	}
	return bool(C.frazil_layout_equal(&l.raw, &other.raw))
}

// Info returns what the layout can hold; all zeros for the zero value.
func (l Layout) Info() LayoutInfo {
	if l.isNone() {
		return LayoutInfo{}
	}
	var info C.frazil_layout_info
	C.frazil_layout_get_info(&l.raw, &info, C.sizeof_frazil_layout_info)
	return LayoutInfo{
		Workers:        uint64(info.workers),
		IDsPerTick:     uint64(info.ids_per_tick),
		IDsPerSecond:   uint64(info.ids_per_second),
		FirstUnixMs:    int64(info.first_unix_ms),
		LastUnixMs:     int64(info.last_unix_ms),
		MaxID:          ID(info.max_id),
		SignBitUnixMs:  int64(info.sign_bit_unix_ms),
		TotalBits:      uint32(info.total_bits),
		ReachesSignBit: info.reaches_sign_bit != 0,
		Fits53Bits:     info.fits_53_bits != 0,
	}
}

// Compose returns the id with the given fields; the time is rounded down to its tick.
func (l Layout) Compose(f Fields) (ID, error) {
	if l.isNone() {
		return 0, errNoLayout()
	}
	fields := C.frazil_fields{
		unix_ms:  C.int64_t(f.UnixMs),
		worker:   C.uint32_t(f.Worker),
		sequence: C.uint32_t(f.Sequence),
	}
	var id C.uint64_t
	var why C.frazil_error
	err := C.frazil_id_compose(&l.raw, &fields, &id, &why)
	return ID(id), errorFrom(err, &why)
}

// Decompose returns the fields of an id. It returns ERange if the id does not fit this layout.
func (l Layout) Decompose(id ID) (Fields, error) {
	if l.isNone() {
		return Fields{}, errNoLayout()
	}
	var fields C.frazil_fields
	var why C.frazil_error
	err := C.frazil_id_decompose(&l.raw, C.uint64_t(id), &fields, &why)
	return Fields{int64(fields.unix_ms), uint32(fields.worker), uint32(fields.sequence)}, errorFrom(err, &why)
}

// DatacenterOf returns the datacenter of a worker number; 0 if the layout does not split it.
func (l Layout) DatacenterOf(worker uint32) uint32 {
	if l.isNone() {
		return 0
	}
	return uint32(uint64(worker) / l.workersInDatacenter())
}

// WorkerInDatacenter returns the worker number inside its datacenter.
func (l Layout) WorkerInDatacenter(worker uint32) uint32 {
	if l.isNone() {
		return 0
	}
	return uint32(uint64(worker) % l.workersInDatacenter())
}

func (l Layout) workersInDatacenter() uint64 {
	var info C.frazil_layout_info
	C.frazil_layout_get_info(&l.raw, &info, C.sizeof_frazil_layout_info)
	return uint64(info.workers_in_datacenter)
}

// FirstID returns the smallest id of the tick that contains an instant; 0 for the zero value.
func (l Layout) FirstID(unixMs int64) ID {
	if l.isNone() {
		return 0
	}
	return ID(C.frazil_id_first(&l.raw, C.int64_t(unixMs)))
}

// Range returns the smallest and the largest id of the ticks from one instant to another, both included, for BETWEEN in databases.
func (l Layout) Range(fromUnixMs, toUnixMs int64) (first, last ID, err error) {
	if l.isNone() {
		return 0, 0, errNoLayout()
	}
	var low, high C.uint64_t
	var why C.frazil_error
	code := C.frazil_id_range(&l.raw, C.int64_t(fromUnixMs), C.int64_t(toUnixMs), &low, &high, &why)
	return ID(low), ID(high), errorFrom(code, &why)
}

// Overlap returns whether ids can collide or sort wrongly if after replaces l at the given instant.
func (l Layout) Overlap(after Layout, sinceUnixMs int64) (Overlap, error) {
	if l.isNone() || after.isNone() {
		return Overlap{}, errNoLayout()
	}
	var found C.frazil_overlap
	var why C.frazil_error
	err := C.frazil_layout_overlap(&l.raw, &after.raw, C.int64_t(sinceUnixMs), &found, C.sizeof_frazil_overlap, &why)
	return Overlap{
		OldLast:    ID(found.old_last),
		NewFirst:   ID(found.new_first),
		SafeUnixMs: int64(found.safe_unix_ms),
		CanCollide: found.can_collide != 0,
		CanMissort: found.can_missort != 0,
		EverSafe:   found.ever_safe != 0,
	}, errorFrom(err, &why)
}
