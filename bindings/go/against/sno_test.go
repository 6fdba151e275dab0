// SPDX-License-Identifier: MIT

package against

// Goal of this test: muyo/sno and compat/sno answer alike.

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"
	"time"

	ours "github.com/frazil/frazil-go/compat/sno"
	theirs "github.com/muyo/sno"
)

func TestIDsOfSno(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	var previous [10]byte
	for i := 0; i < 20000; i++ {
		var b [10]byte
		if i > 0 {
			random.Read(b[:])
		}
		a, o := theirs.ID(b), ours.ID(b)
		aj, _ := json.Marshal(a)
		oj, _ := json.Marshal(o)
		at, _ := a.MarshalText()
		ot, _ := o.MarshalText()
		alike(t, fmt.Sprint(b),
			list(a.String(), at, aj, a.Bytes(), a.Time().UnixNano(), a.Timestamp(), a.Meta(), a.Partition().AsUint16(), a.Sequence(), a.IsZero(), a.Compare(theirs.ID(previous))),
			list(o.String(), ot, oj, o.Bytes(), o.Time().UnixNano(), o.Timestamp(), o.Meta(), o.Partition().AsUint16(), o.Sequence(), o.IsZero(), o.Compare(ours.ID(previous))))
		ar, aerr := theirs.FromEncodedString(a.String())
		or, oerr := ours.FromEncodedString(a.String())
		alike(t, a.String(), list([10]byte(ar), failed(aerr)), list([10]byte(or), failed(oerr)))
		previous = b
	}
}

func TestReadingOfSno(t *testing.T) {
	for _, value := range []interface{}{nil, "", "x", "brpk4q72xwf2m63l", []byte{}, []byte("brpk4q72xw"), []byte("brpk4q72xwf2m63l"), 7, 1.5, "brpk4q72xwf2m63l2"} {
		a, o := theirs.ID{1}, ours.ID{1}
		aerr, oerr := a.Scan(value), o.Scan(value)
		alike(t, fmt.Sprint(value), list([10]byte(a), fmt.Sprint(aerr)), list([10]byte(o), fmt.Sprint(oerr)))
	}
	for _, text := range []string{"null", `""`, `"brpk4q72xwf2m63l"`, `"brpk4q72xwf2m63"`, "7", "nul"} {
		a, o := theirs.ID{1}, ours.ID{1}
		aerr, oerr := a.UnmarshalJSON([]byte(text)), o.UnmarshalJSON([]byte(text))
		alike(t, text, list([10]byte(a), fmt.Sprint(aerr)), list([10]byte(o), fmt.Sprint(oerr)))
	}
	for n := 0; n < 20; n++ {
		_, aerr := theirs.FromBinaryBytes(make([]byte, n))
		_, oerr := ours.FromBinaryBytes(make([]byte, n))
		alike(t, fmt.Sprint(n), list(fmt.Sprint(aerr)), list(fmt.Sprint(oerr)))
	}
}

func TestGeneratorsOfSno(t *testing.T) {
	at := time.Date(2031, 5, 6, 7, 8, 9, 123456789, time.UTC)
	for i, s := range []theirs.GeneratorSnapshot{
		{}, {SequenceMin: 7, SequenceMax: 7}, {SequenceMin: 7, SequenceMax: 10}, {SequenceMin: 7, SequenceMax: 11},
		{SequenceMin: 7, SequenceMax: 12}, {SequenceMin: 2000, SequenceMax: 1000}, {SequenceMin: 65535}, {SequenceMin: 65531},
		{SequenceMin: 65500}, {SequenceMin: 100, Sequence: 99}, {SequenceMin: 100, Sequence: 100}, {SequenceMax: 100},
	} {
		s.Partition = theirs.Partition{byte(i), 9}
		o := ours.GeneratorSnapshot{Partition: ours.Partition(s.Partition), SequenceMin: s.SequenceMin, SequenceMax: s.SequenceMax, Sequence: s.Sequence}
		a, aerr := theirs.NewGenerator(&s, nil)
		b, berr := ours.NewGenerator(&o, nil)
		if fmt.Sprint(aerr) != fmt.Sprint(berr) {
			t.Fatalf("%+v: theirs %v, ours %v", s, aerr, berr)
		}
		if aerr != nil {
			continue
		}
		alike(t, fmt.Sprintf("%+v", s),
			list(a.Partition().AsUint16(), a.SequenceMin(), a.SequenceMax(), a.Sequence(), a.Len(), a.Cap()),
			list(b.Partition().AsUint16(), b.SequenceMin(), b.SequenceMax(), b.Sequence(), b.Len(), b.Cap()))
		for call := 0; call < 3; call++ {
			alike(t, "NewWithTime", list([10]byte(a.NewWithTime(5, at))), list([10]byte(b.NewWithTime(5, at))))
		}
		before := time.Now().UnixNano() / 4e6
		x, y := a.New(6), b.New(6)
		if x.Partition() != theirs.Partition(y.Partition()) || x.Meta() != y.Meta() || y.Timestamp()/4e6 < before || y.Sequence() != x.Sequence() {
			t.Fatalf("theirs %v, ours %v", x, y)
		}
	}
}
