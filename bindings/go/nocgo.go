// SPDX-License-Identifier: MIT

//go:build !cgo

package frazil

// The library is written in C, and without cgo every other file of this package is left out: then the compiler says why.
var _ = frazil_needs_cgo_set_CGO_ENABLED_1_and_install_a_C_compiler
