// SPDX-License-Identifier: MIT

//go:build !cgo

package frazil_test

// Goal of this test: a program that is built without cgo is told so by Open, and can read and write ids.

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	frazil "github.com/frazil/frazil-go"
)

func TestOpenSaysWhatToDoWithoutCgo(t *testing.T) {
	generator, err := frazil.Open("worker=fixed:7")
	_, shared := frazil.OpenShared("worker=fixed:7")
	_, next := generator.Next()
	_, taken := new(frazil.Generator).Take(context.Background(), 1)
	for _, err := range []error{err, shared, next, taken, frazil.Check("")} {
		if !errors.Is(err, frazil.ENotBuilt) || !errors.Is(err, frazil.Usage) || !strings.Contains(err.Error(), "CGO_ENABLED=1") {
			t.Fatal(err)
		}
	}
}

func TestIDsAreReadAndWrittenWithoutCgo(t *testing.T) {
	b, err := json.Marshal(frazil.ID(43667737804828672))
	if err != nil || string(b) != `"43667737804828672"` {
		t.Fatal(string(b), err)
	}
	var id frazil.ID
	if err := json.Unmarshal(b, &id); err != nil || id != 43667737804828672 {
		t.Fatal(id, err)
	}
	bytes := id.Bytes()
	if back, err := frazil.IDFromBytes(bytes[:]); err != nil || back != id {
		t.Fatal(back, err)
	}
	for _, wrong := range []string{"", "007", "+7", "-7", "7x", "18446744073709551616"} {
		if _, err := frazil.ParseID(wrong); !errors.Is(err, frazil.EParse) {
			t.Fatal(wrong, err)
		}
	}
}
