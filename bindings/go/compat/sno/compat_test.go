// SPDX-License-Identifier: MIT

package sno_test

// Goal of this test: the names of muyo/sno answer as its documentation has them.

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	frazil "github.com/frazil/frazil-go"
	"github.com/frazil/frazil-go/compat/sno"
)

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "frazil-go")
	if err != nil {
		panic(err)
	}
	os.Setenv("FRAZIL_RUN_DIR", folder+"/run")
	os.Setenv("FRAZIL_STATE_DIR", folder+"/state")
	os.Setenv("FRAZIL_HOST_DIR", folder+"/host")
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// First, as another test uses up what is there to draw. Processes of a host draw their partitions for themselves: one is not in the way of another that has drawn the same.
func TestADrawnPartitionIsNotClaimedOnTheHost(t *testing.T) {
	drawn, err := sno.NewGenerator(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	given, err := sno.NewGenerator(&sno.GeneratorSnapshot{Partition: sno.Partition{7, 7}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Generators that take nothing from the environment claim in the host's own folder.
	claims := func(g *sno.Generator) (names []string) {
		for _, folder := range []string{os.Getenv("FRAZIL_HOST_DIR"), "/dev/shm"} {
			found, err := filepath.Glob(fmt.Sprintf("%s/frazil-claim-*-%d-0-65535-*", folder, g.Partition().AsUint16()))
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, found...)
		}
		return names
	}
	before := claims(drawn)
	if id := drawn.New(1); id.Partition() != drawn.Partition() {
		t.Error(id)
	}
	if after := claims(drawn); !reflect.DeepEqual(before, after) {
		t.Error(before, after)
	}
	if len(claims(given)) == 0 {
		t.Error("a partition of the caller's is not claimed")
	}
}

func made(t *testing.T, s *sno.GeneratorSnapshot, c chan<- *sno.SequenceOverflowNotification) *sno.Generator {
	t.Helper()
	g, err := sno.NewGenerator(s, c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnIDHasItsParts(t *testing.T) {
	before := time.Now().Truncate(4 * time.Millisecond)
	g := made(t, &sno.GeneratorSnapshot{Partition: sno.Partition{'A', 10}}, nil)
	id := g.New(200)
	if id.Meta() != 200 || id.Partition() != (sno.Partition{'A', 10}) || id.Time().Before(before) {
		t.Fatal(id)
	}
	if id.Timestamp() != id.Time().UnixNano() || id.Partition().AsUint16() != 'A'<<8|10 {
		t.Fatal(id)
	}
	if g.Partition() != id.Partition() || g.SequenceMin() != 0 || g.SequenceMax() != 65535 || g.Cap() != 65536 {
		t.Fatal(g.Snapshot())
	}
	at := time.Date(2020, 2, 3, 4, 5, 6, 8e6, time.UTC)
	if old := g.NewWithTime(3, at); !old.Time().Equal(at) || old[4]&1 != 0 {
		t.Fatal(old)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a time before 2010 is taken")
		}
	}()
	g.NewWithTime(3, time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC))
}

func TestAnIDGoesThroughTextJSONAndColumns(t *testing.T) {
	id, err := sno.FromEncodedString("brpk4q72xwf2m63l")
	if err != nil || id != (sno.ID{78, 111, 33, 96, 160, 255, 154, 10, 16, 51}) || id.String() != "brpk4q72xwf2m63l" {
		t.Fatal(id, err)
	}
	b, err := json.Marshal([]sno.ID{id, sno.Zero()})
	if err != nil || string(b) != `["brpk4q72xwf2m63l",null]` {
		t.Fatal(string(b), err)
	}
	var back []sno.ID
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, []sno.ID{id, {}}) {
		t.Fatal(back, err)
	}
	value, _ := id.Value()
	for _, column := range []interface{}{value, "brpk4q72xwf2m63l", nil, "", []byte{}} {
		var read sno.ID
		if err := read.Scan(column); err != nil || (read != id && !read.IsZero()) {
			t.Fatal(column, read, err)
		}
	}
	var size *sno.InvalidDataSizeError
	var kind *sno.InvalidTypeError
	if err := new(sno.ID).Scan([]byte("123")); !errors.As(err, &size) || size.Size != 3 {
		t.Fatal(err)
	}
	if err := new(sno.ID).Scan(7); !errors.As(err, &kind) {
		t.Fatal(err)
	}
	if _, err := sno.FromBinaryBytes(make([]byte, 9)); !errors.As(err, &size) {
		t.Fatal(err)
	}
	if _, err := sno.FromEncodedString("brpk4q72xwf2m63y"); err == nil {
		t.Fatal("a character that no sno has is read")
	}
	ids := []sno.ID{{3}, {1}, {2}}
	sno.Sort(ids)
	if !reflect.DeepEqual(ids, []sno.ID{{1}, {2}, {3}}) {
		t.Fatal(ids)
	}
}

func TestBoundsAreLookedAt(t *testing.T) {
	var bounds *sno.InvalidSequenceBoundsError
	for _, s := range []sno.GeneratorSnapshot{
		{SequenceMin: 9, SequenceMax: 9},
		{SequenceMin: 10, SequenceMax: 13},
		{SequenceMin: 100, SequenceMax: 200, Sequence: 99},
	} {
		s := s
		if _, err := sno.NewGenerator(&s, nil); !errors.As(err, &bounds) || bounds.Cur != s.Sequence {
			t.Errorf("%+v: %v", s, err)
		}
	}
	g := made(t, &sno.GeneratorSnapshot{Partition: sno.Partition{1, 1}, SequenceMin: 2048, SequenceMax: 1024}, nil)
	if g.SequenceMin() != 1024 || g.SequenceMax() != 2048 || g.Sequence() != 1024 || g.Len() != 0 {
		t.Fatal(g.Snapshot())
	}
}

func TestASnapshotGoesOn(t *testing.T) {
	g := made(t, nil, nil)
	last := g.New(1)
	b, err := json.Marshal(g.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var s sno.GeneratorSnapshot
	if err := json.Unmarshal(b, &s); err != nil || s.WallHi == 0 || s.Partition != last.Partition() {
		t.Fatal(string(b), err)
	}
	if next := made(t, &s, nil).New(1); next.Compare(last) <= 0 || next.Partition() != last.Partition() {
		t.Fatal(last, next)
	}
}

func TestASnapshotBesideItsGeneratorSharesTheSequence(t *testing.T) {
	own := made(t, nil, nil)
	own.New(1)
	for _, g := range []*sno.Generator{own, made(t, &sno.GeneratorSnapshot{Partition: sno.Partition{9, 9}}, nil)} {
		g.New(1)
		s := g.Snapshot()
		beside := made(t, &s, nil)
		again := beside.Snapshot()
		third := made(t, &again, nil)
		seen := map[sno.ID]bool{}
		for i := 0; i < 20000; i++ {
			for _, each := range []*sno.Generator{g, beside, third} {
				id := each.New(1)
				if seen[id] || id.Partition() != g.Partition() {
					t.Fatal(i, id)
				}
				seen[id] = true
			}
		}
		ahead := g.Snapshot()
		ahead.WallHi += 1000000
		if _, err := sno.NewGenerator(&ahead, nil); err == nil {
			t.Fatal("a snapshot ahead of the generator beside it is taken")
		}
	}
}

func TestAGeneratorThatNobodyMade(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Fatal("it makes snos")
		}
	}()
	new(sno.Generator).New(1)
}

func TestAnOverflowIsTold(t *testing.T) {
	told := make(chan *sno.SequenceOverflowNotification, 100000)
	g := made(t, &sno.GeneratorSnapshot{Partition: sno.Partition{2, 2}, SequenceMin: 1, SequenceMax: 16}, told)
	seen := map[sno.ID]bool{}
	var lock sync.Mutex
	var running sync.WaitGroup
	for i := 0; i < 8; i++ {
		running.Add(1)
		go func() {
			defer running.Done()
			for j := 0; j < 100; j++ {
				id := g.New(0)
				lock.Lock()
				if seen[id] || id.Sequence() < 1 || id.Sequence() > 16 {
					t.Error(id)
				}
				seen[id] = true
				lock.Unlock()
			}
		}()
	}
	running.Wait()
	most := uint32(0)
	for n := range told {
		if n.Count > most {
			most = n.Count
		}
		if n.Count == 0 {
			break // the end
		}
		if n.Ticks == 0 || n.Now.IsZero() {
			t.Fatal(n)
		}
	}
	if most == 0 || most > 8 {
		t.Fatalf("%d calls wait", most)
	}
}

func TestPartitionsFollowEachOther(t *testing.T) {
	first, second := made(t, nil, nil), made(t, nil, nil)
	last := second.New(1) // used in another order
	if d := last.Partition().AsUint16() - first.New(1).Partition().AsUint16(); d != 1 {
		t.Fatalf("the second partition is %d behind the first one", d)
	}
	own, err := frazil.Open("layout=sno worker=auto", frazil.WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if d := uint16(own.Info().Worker) - last.Partition().AsUint16(); d != 1 {
		t.Fatalf("frazil's own partition is %d behind that of a generator here", d)
	}
}

func TestANewGeneratorHasAWholeUnit(t *testing.T) {
	s := &sno.GeneratorSnapshot{Partition: sno.Partition{3, 3}, SequenceMin: 8, SequenceMax: 16}
	for i := 0; i < 5; i++ {
		g := made(t, s, nil)
		if g.Len() != 0 || g.Sequence() != 8 {
			t.Fatal(g.Snapshot())
		}
		g.New(1)
	}
}

func TestGeneratorsByTheThousand(t *testing.T) {
	partitions := map[sno.Partition]bool{}
	made := 0
	for {
		g, err := sno.NewGenerator(nil, nil)
		if err != nil {
			if _, ok := err.(*sno.PartitionPoolExhaustedError); !ok {
				t.Fatal(err)
			}
			break
		}
		if made++; made%1000 == 0 {
			if p := g.Partition(); partitions[p] {
				t.Fatalf("%v comes twice", p)
			} else {
				partitions[p] = true
			}
		}
	}
	// The package's own is one of the 65,536, and other tests may have made some.
	if made > 65535 || made < 65000 {
		t.Fatalf("%d generators", made)
	}
	if _, err := sno.NewGenerator(nil, nil); err == nil {
		t.Fatal("there is another one")
	}
}

func TestAGeneratorIsClosed(t *testing.T) {
	partition := sno.Partition{9, 9}
	g := made(t, &sno.GeneratorSnapshot{Partition: partition}, nil)
	beside := made(t, &sno.GeneratorSnapshot{Partition: partition}, nil)
	first := g.New(0)
	for i := 0; i < 2; i++ {
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if next := beside.New(0); next.Compare(first) <= 0 {
		t.Fatal(first, next)
	}
	beside.Close()
	defer func() {
		if recover() == nil {
			t.Fatal("a closed generator makes snos")
		}
	}()
	beside.New(0)
}

// Tests of sno itself make generators whose pools overlap, one after the other, and close none of them.
func TestAForgottenGeneratorGivesItsPoolUp(t *testing.T) {
	for i := uint16(0); i < 5; i++ {
		made(t, &sno.GeneratorSnapshot{Partition: sno.Partition{9, 10}, SequenceMin: i, SequenceMax: 1000}, nil).New(0)
	}
	kept := made(t, &sno.GeneratorSnapshot{Partition: sno.Partition{9, 10}, SequenceMin: 7, SequenceMax: 1000}, nil)
	if _, err := sno.NewGenerator(&sno.GeneratorSnapshot{Partition: sno.Partition{9, 10}, SequenceMin: 8}, nil); err == nil {
		t.Fatal("pools overlap")
	}
	kept.New(0)
}
