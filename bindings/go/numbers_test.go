// SPDX-License-Identifier: MIT

package frazil_test

// Goal of this test: errors and text forms have the numbers of the library's tables, and none is missing.

import (
	"regexp"
	"strings"
	"testing"
)

func TestNumbersAreThoseOfTheTables(t *testing.T) {
	row := regexp.MustCompile(`(?m)^    X\((\w+), *(-?\d+),`)
	constant := regexp.MustCompile(`(?m)^\t(\w+) +(?:Code|Form) += (-?\d+) `)
	for header, file := range map[string]string{"error.h": "errors.go", "text.h": "forms.go"} {
		here := map[string]string{"OK": "0"} // which is nil here
		for _, found := range constant.FindAllStringSubmatch(tree(t, "bindings/go/"+file), -1) {
			here[strings.ToUpper(found[1])] = found[2]
		}
		rows := row.FindAllStringSubmatch(tree(t, "include/frazil/"+header), -1)
		for _, found := range rows {
			if got := here[strings.ReplaceAll(found[1], "_", "")]; got != found[2] {
				t.Errorf("%s: %s is %q, and %s in %s", file, found[1], got, found[2], header)
			}
		}
		if len(rows) < 10 {
			t.Errorf("%s: no table found", header)
		}
	}
}
