// SPDX-License-Identifier: MIT

package fastpath

// Goal of this test: each of the six steps gives up where it has to.

import (
	"sync/atomic"
	"testing"
	"unsafe"
)

// memory stands for what C gives out. Its tick has four slots from 100 on, and lasts from just now for as long as it is said.
type memory struct {
	word   uint64
	anchor [5]uint64
}

func (m *memory) path(version, slot, length uint64) Path {
	now := counter()
	m.word = slot
	m.anchor = [5]uint64{version, now, length, 100, 7000}
	return New(ours, 3, 4, unsafe.Pointer(&m.word), unsafe.Pointer(&m.anchor))
}

// long is a range that no test outlives. On x86 it also ends where the high half of the counter changes, so a test may find
// itself behind it: it tries again.
const long = 1<<32 - 1

func taking(t *testing.T, version, slot uint64) (id uint64, taken bool, word uint64) {
	t.Helper()
	if ours == none {
		t.Skip("this processor has no counter that is known here")
	}
	for try := 0; try < 3 && !taken; try++ {
		var m memory
		path := m.path(version, slot, long)
		id, taken = path.Take()
		word = m.word
	}
	return id, taken, word
}

func TestSlotsAreTakenUpToTheCapacity(t *testing.T) {
	for slot := uint64(100); slot < 104; slot++ {
		if id, taken, word := taking(t, 6, slot); !taken || id != 7000+(slot-100)*8 || word != slot+1 {
			t.Fatal(slot, id, taken, word)
		}
	}
	for _, slot := range []uint64{99, 104, 105, 0} {
		if id, taken, word := taking(t, 6, slot); taken || word != slot {
			t.Fatal(slot, id, taken, word)
		}
	}
}

func TestNoTickIsReadWhileItIsWritten(t *testing.T) {
	if id, taken, word := taking(t, 7, 100); taken || word != 100 {
		t.Fatal(id, taken, word)
	}
}

func TestATickThatChangedWhileItWasReadIsNotWhole(t *testing.T) {
	for _, versions := range [][2]uint64{{6, 7}, {6, 8}, {7, 7}, {7, 8}, {6, 4}} {
		if isWhole(versions[0], versions[1]) {
			t.Error(versions)
		}
	}
	if !isWhole(6, 6) || !isWhole(0, 0) {
		t.Error("a tick at rest is not whole")
	}
}

func TestARangeThatIsOverHasNoIDs(t *testing.T) {
	var m memory
	path := m.path(6, 100, 0)
	if _, taken := path.Take(); taken || m.word != 100 {
		t.Fatal(m)
	}
}

func TestARangeBeginsWithItsStartAndEndsBeforeItsEnd(t *testing.T) {
	const start, length = 0x500000010, 16
	for _, form := range []uint32{x86TSC, armCounter} {
		for _, now := range []uint64{start, start + 15} {
			if !inRange(form, now, start, length) {
				t.Error(form, now-start)
			}
		}
		for _, now := range []uint64{start + 16, start - 1, start + 1<<32, start - 1<<32} {
			if inRange(form, now, start, length) {
				t.Error(form, int64(now-start))
			}
		}
	}
}

func TestTheCounterCounts(t *testing.T) {
	before := counter()
	if ours != none && counter()-before > 1<<40 {
		t.Fatal("it goes back")
	}
	if ours == x86TSC && before>>32 == 0 {
		t.Fatal("its high half is missing: it is there two seconds after a start")
	}
}

func TestOnlyTheFormOfThisProcessorIsTaken(t *testing.T) {
	var m memory
	m.path(6, 100, long)
	for form := uint32(0); form < 9; form++ {
		if path := New(form, 3, 4, unsafe.Pointer(&m.word), unsafe.Pointer(&m.anchor)); form != ours && path != (Path{}) {
			t.Fatal(form)
		}
	}
	var zero Path
	if _, taken := zero.Take(); taken {
		t.Fatal("there is an id without a generator")
	}
}

// acrossTwoLines returns an anchor whose slot is in another cache line than its range. Of one line all is read at the same moment.
func acrossTwoLines() *[5]uint64 {
	block := new([16]uint64)
	for i := range block {
		if uintptr(unsafe.Pointer(&block[i]))%64 == 40 {
			return (*[5]uint64)(block[i : i+5])
		}
	}
	panic("no word of it is the sixth of a line")
}

// A tick that is over and one that lasts take turns. A slot of one tick with the first id of the other would make an id outside
// of the range that the test allows.
func TestNoIDIsOfTwoTicks(t *testing.T) {
	if ours == none {
		t.Skip("this processor has no counter that is known here")
	}
	const first = 1 << 50
	word, anchor := uint64(1<<40), acrossTwoLines()
	path := New(ours, 0, 1<<41, unsafe.Pointer(&word), unsafe.Pointer(anchor))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := uint64(0); ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			over, slot, id := i%2, uint64(1<<40), uint64(first)
			if over == 1 {
				slot, id = 0, 0
			}
			atomic.AddUint64(&anchor[0], 1)
			for n, value := range []uint64{counter(), long * (1 - over), slot, id} {
				atomic.StoreUint64(&anchor[n+1], value)
			}
			atomic.AddUint64(&anchor[0], 1)
			for pause := uint64(0); pause < i%4+2; pause++ {
				counter() // or nobody finds a moment when it is not written
			}
		}
	}()
	for taken := 0; taken < 1000000; {
		if id, ok := path.Take(); ok {
			taken++
			if id < first || id >= 1<<51 {
				t.Fatal(id)
			}
		}
	}
	close(stop)
	<-stopped
}
