// SPDX-License-Identifier: MIT

package frazil_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is the source tree of frazil: the tests run in a copy of the module, to which frazil.c was added.
func tree(t testing.TB, path string) string {
	t.Helper()
	root := os.Getenv("TEST_TREE")
	if root == "" {
		t.Skip("TEST_TREE does not say where the source tree of frazil is")
	}
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// vectors are the rows of a file of golden values, below its header.
func vectors(t *testing.T, name string) [][]string {
	t.Helper()
	var rows [][]string
	lines := strings.Split(strings.TrimSpace(tree(t, "tests/vectors/"+name)), "\n")
	for _, line := range lines[1:] {
		rows = append(rows, strings.Split(line, "\t"))
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return rows
}

// in are the keys of a spec that keep its state in a folder of the test's own.
func in(t testing.TB, keys string) string {
	t.Helper()
	folder := t.TempDir()
	return keys + " run_dir=" + folder + "/run state_dir=" + folder + "/state host_dir=" + folder + "/host"
}
