// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"errors"
	"runtime/cgo"
	"unsafe"
)

// handle is the number by which C refers to a Granter; 0 means none.
type handle cgo.Handle

// handleOf returns a handle, which must be dropped.
func handleOf(granter Granter) handle {
	if granter == nil {
		return 0
	}
	return handle(cgo.NewHandle(granter))
}

// drop ends the handle once C no longer calls the granter.
func (h handle) drop() {
	if h != 0 {
		cgo.Handle(h).Delete()
	}
}

func granterOf(ctx C.uintptr_t) Granter { return cgo.Handle(ctx).Value().(Granter) }

//export frazilGoAcquire
func frazilGoAcquire(ctx C.uintptr_t, now C.int64_t, ret *C.frazil_grant, reterr *C.frazil_error) C.frazil_err {
	grant, err := granterOf(ctx).Acquire(int64(now))
	return granted(grant, err, ret, reterr)
}

//export frazilGoExtend
func frazilGoExtend(ctx C.uintptr_t, now C.int64_t, held, ret *C.frazil_grant, reterr *C.frazil_error) C.frazil_err {
	grant, err := granterOf(ctx).Extend(int64(now), grantOf(held))
	return granted(grant, err, ret, reterr)
}

//export frazilGoRelease
func frazilGoRelease(ctx C.uintptr_t, held *C.frazil_grant, usedEnd C.int64_t) {
	granterOf(ctx).Release(grantOf(held), int64(usedEnd))
}

func grantOf(raw *C.frazil_grant) Grant {
	return Grant{uint32(raw.worker), int64(raw.from_unix_ms), int64(raw.end_unix_ms), uint64(raw.token)}
}

// granted passes a granter's answer to C.
func granted(grant Grant, err error, ret *C.frazil_grant, reterr *C.frazil_error) C.frazil_err {
	if err == nil {
		ret.worker = C.uint32_t(grant.Worker)
		ret.from_unix_ms, ret.end_unix_ms = C.int64_t(grant.FromUnixMs), C.int64_t(grant.EndUnixMs)
		ret.token = C.uint64_t(grant.Token)
		return C.FRAZIL_OK
	}
	code := EUnreachable
	var e *Error
	if errors.As(err, &e) && e.Code < 0 {
		code = e.Code
		reterr.retry_ns = C.uint64_t(e.Retry)
	}
	message := unsafe.Slice((*byte)(unsafe.Pointer(&reterr.message[0])), len(reterr.message))
	message[copy(message[:len(message)-1], err.Error())] = 0
	return C.frazil_err(code)
}
