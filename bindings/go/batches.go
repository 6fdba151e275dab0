// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// IDs returns an endless sequence of ids, for range. The sequence ends with the first error, which the last iteration yields.
func (g *Generator) IDs() func(yield func(ID, error) bool) {
	return func(yield func(ID, error) bool) {
		for {
			id, err := g.Next()
			if !yield(id, err) || err != nil {
				return
			}
		}
	}
}

// TakeSnos returns n snos. It waits until the context ends, and ignores max_wait.
func (g *Generator) TakeSnos(ctx context.Context, meta byte, n int) ([]Sno, error) {
	if n < 0 {
		return nil, newError(EInval, "a number of snos is not negative")
	}
	if ctx == nil {
		ctx = context.Background()
	}
	snos := make([]Sno, n)
	for left := snos; len(left) > 0; {
		if !g.enter() {
			return nil, g.closed()
		}
		r := C.shim_sno_try_take(g.raw, C.uint8_t(meta), unsafe.Pointer(&left[0]), C.size_t(len(left)))
		g.leave()
		left = left[r.n:]
		switch {
		case r.n > 0: // the next try tells why the rest is missing: time, or a policy
			continue
		case g.sleepsIn && ctx.Err() != nil:
			return nil, ctx.Err()
		case !worthWaiting(r.err) || g.sleepsIn && r.err == C.FRAZIL_EAGAIN:
			one, err := g.explainSno(meta, r.err, g.lastWait(r.err))
			if err != nil {
				return nil, err
			}
			left[0], left = one, left[1:]
			continue
		}
		if _, err := g.wait(ctx, time.Duration(r.retry_ns), time.Time{}); err != nil {
			return nil, err
		}
	}
	return snos, nil
}
