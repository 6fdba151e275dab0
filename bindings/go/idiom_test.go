// SPDX-License-Identifier: MIT

//go:build cgo

package frazil_test

// Goal of this test: the package's values do what Go's own do: they print, become JSON, and their errors lead to the system's.

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	frazil "github.com/frazil/frazil-go"
)

func TestAGeneratorPrintsWhatItIs(t *testing.T) {
	g, err := frazil.Open("layout=41/10/12 worker=fixed:7 state=memory")
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%v", g); s != "frazil.Generator("+g.Layout().String()+", worker 7, serving)" {
		t.Error(s)
	}
	g.Stop()
	if s := g.String(); !strings.HasSuffix(s, ", stopped)") {
		t.Error(s)
	}
	g.Close()
	if s := fmt.Sprint(g); s != "frazil.Generator(closed)" {
		t.Error(s)
	}
	for _, none := range []*frazil.Generator{nil, new(frazil.Generator)} {
		if s := none.String(); s != "frazil.Generator(not opened)" {
			t.Error(s)
		}
	}
}

func TestStatesAreWordsInJSON(t *testing.T) {
	b, err := json.Marshal([]interface{}{frazil.NeedsGrant, frazil.StateFile, frazil.EventMoved, frazil.Health{State: frazil.IsFenced}})
	if err != nil || !strings.HasPrefix(string(b), `["needs_grant","file","moved",{"State":"fenced",`) {
		t.Fatal(string(b), err)
	}
}

func TestStatesAreReadBackFromJSON(t *testing.T) {
	type states struct {
		Health map[frazil.HealthState]bool
		Kinds  []frazil.StateKind
		Events []frazil.EventKind
	}
	all := states{Health: map[frazil.HealthState]bool{}}
	for s := frazil.Serving; s <= frazil.Stopped; s++ {
		all.Health[s] = true
	}
	for k := frazil.StateMemory; k <= frazil.StateSlots; k++ {
		all.Kinds = append(all.Kinds, k)
	}
	for k := frazil.EventMoved; k <= frazil.EventWarnUnclaimed; k++ {
		all.Events = append(all.Events, k)
	}
	b, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var back states
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, all) {
		t.Fatalf("%s: %+v, %v", b, back, err)
	}
	for _, into := range []encoding.TextUnmarshaler{new(frazil.HealthState), new(frazil.StateKind), new(frazil.EventKind)} {
		for _, wrong := range []string{"", "?", "unknown", "Serving"} {
			if err := into.UnmarshalText([]byte(wrong)); !errors.Is(err, frazil.EParse) {
				t.Errorf("%T of %q: %v", into, wrong, err)
			}
		}
	}
}

func TestAnErrorLeadsToTheSystemsError(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "such", "directory")
	_, err := frazil.Open("worker=fixed:7 state_dir=" + missing + " run_dir=" + missing)
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, syscall.ENOENT) || !errors.Is(err, frazil.ESys) {
		t.Errorf("%#v", err)
	}
	if _, err := frazil.Open("worker=7"); errors.Unwrap(err) != nil {
		t.Error(err)
	}
}
