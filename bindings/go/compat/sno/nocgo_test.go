// SPDX-License-Identifier: MIT

//go:build !cgo

package sno_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frazil/frazil-go/compat/sno"
)

func TestNewSaysWhatToDoWithoutCgo(t *testing.T) {
	defer func() {
		if why := fmt.Sprint(recover()); !strings.Contains(why, "CGO_ENABLED=1") {
			t.Fatal(why)
		}
	}()
	sno.New(1)
}
