// SPDX-License-Identifier: MIT

package snowflake

// Goal of this test: an id that becomes free when the wait ends is returned, and is no reason to panic.

import (
	"fmt"
	"strings"
	"testing"
)

func TestAnIDThatIsFreeAtTheEndOfTheWaitIsReturned(t *testing.T) {
	defer func(bits uint8) { StepBits = bits }(StepBits)
	StepBits = 1 // two ids a millisecond, so that nearly each call finds a full one
	node, err := NewNode(8)
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	hurry := func() (panicked string) {
		defer func() {
			if why := recover(); why != nil {
				panicked = fmt.Sprint(why)
			}
		}()
		node.insist(0)
		return ""
	}
	for i := 0; i < 30000; i++ {
		if panicked := hurry(); strings.Contains(panicked, "nil") {
			t.Fatal(panicked)
		}
	}
}
