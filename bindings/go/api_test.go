// SPDX-License-Identifier: MIT

package frazil_test

// Goal of this test: a program compiles alike with cgo and without: both builds have the same names, of the same types.

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"sort"
	"strings"
	"testing"
)

// declared are the exported functions, methods, types and constants of a build of this package, a line each.
func declared(t *testing.T, cgo bool) []string {
	t.Helper()
	context := build.Default
	context.CgoEnabled = cgo
	files, err := context.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, name := range append(files.GoFiles, files.CgoFiles...) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		show := func(node interface{}) string {
			var b bytes.Buffer
			if err := printer.Fprint(&b, set, node); err != nil {
				t.Fatal(err)
			}
			return strings.Join(strings.Fields(b.String()), " ")
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if ast.IsExported(d.Name.Name) {
					d.Body = nil
					lines = append(lines, show(d))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						lines = append(lines, "type "+s.Name.Name)
					case *ast.ValueSpec:
						lines = append(lines, "value "+s.Names[0].Name)
					}
				}
			}
		}
	}
	var exported []string
	for _, line := range lines {
		words := strings.Fields(line)
		if words[0] == "func" || ast.IsExported(words[1]) {
			exported = append(exported, line)
		}
	}
	sort.Strings(exported)
	return exported
}

func TestBothBuildsHaveTheSameNames(t *testing.T) {
	with, without := declared(t, true), declared(t, false)
	in := map[string]bool{}
	for _, line := range without {
		in[line] = true
	}
	for _, line := range with {
		if !in[line] {
			t.Errorf("only with cgo: %s", line)
		}
		delete(in, line)
	}
	for line := range in {
		t.Errorf("only without cgo: %s", line)
	}
	if len(with) < 100 {
		t.Errorf("%d names are not all of them", len(with))
	}
}
