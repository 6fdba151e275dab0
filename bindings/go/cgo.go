// SPDX-License-Identifier: MIT

package frazil

/*
#cgo !libfrazil CFLAGS: -O2 -fvisibility=hidden -DFRAZIL_API=
#cgo !libfrazil LDFLAGS: -lpthread -ldl
#cgo libfrazil pkg-config: frazil frazil-extras
*/
import "C"
