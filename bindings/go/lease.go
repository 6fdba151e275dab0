// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"runtime"
	"sync"
	"time"
)

// Lease is a worker id without a generator, for programs that make their ids themselves. It holds for a limited time only: use a
// Generator where you can.
type Lease struct {
	lock    sync.RWMutex // for writing: closed
	raw     *C.frazil_lease
	granter handle
	clock   *ManualClock // kept alive, as the library reads it until the lease is closed
}

// OpenLease leases a worker id. The spec's worker= is the URL of a coordinator, or the options have a granter.
func OpenLease(spec string, given ...Option) (*Lease, error) {
	p, o, err := prepare(spec, given)
	if err != nil {
		return nil, err
	}
	defer C.frazil_options_close(p.raw)
	l := &Lease{granter: p.granter, clock: o.clock}
	var why C.frazil_error
	if err := C.frazil_lease_open_with(&l.raw, p.raw, &why); err != C.FRAZIL_OK {
		p.granter.drop()
		return nil, errorFrom(err, &why)
	}
	runtime.SetFinalizer(l, func(l *Lease) { forget(l.Close) })
	return l, nil
}

// enter begins a call. It fails if the lease is closed or was never opened.
func (l *Lease) enter() error {
	if l == nil {
		return newError(EInval, "the lease was not opened: make one with OpenLease")
	}
	l.lock.RLock()
	if l.raw == nil {
		l.lock.RUnlock()
		return newError(EStopped, "the lease is closed: open another one")
	}
	return nil
}

// Get returns the lease as it is now. Success means that the program holds the number at this instant, by its own clock. It returns
// ELease if the lease has ended.
func (l *Lease) Get() (LeaseInfo, error) {
	if err := l.enter(); err != nil {
		return LeaseInfo{}, err
	}
	defer l.lock.RUnlock()
	var raw C.frazil_lease_info
	var why C.frazil_error
	if err := C.frazil_lease_get_info(l.raw, &raw, C.sizeof_frazil_lease_info, &why); err != C.FRAZIL_OK {
		return LeaseInfo{}, errorFrom(err, &why)
	}
	return LeaseInfo{uint32(raw.worker), int64(raw.from_unix_ms), int64(raw.end_unix_ms)}, nil
}

// Keep extends the lease if it is due, for keeper=hook. It returns the time until the next call is due; negative means never. While
// the coordinator or granter does not answer, the lease stands and this is no error: Get says when it has ended, and why.
func (l *Lease) Keep() (time.Duration, error) {
	if err := l.enter(); err != nil {
		return -1, err
	}
	defer l.lock.RUnlock()
	var next C.uint64_t
	var why C.frazil_error
	err := C.frazil_lease_keep(l.raw, 0, &next, &why)
	return kept(err, &why, next)
}

// Close gives the number back. The number stays unused until the end of the lease, as any time before it may have been stamped.
func (l *Lease) Close() error { return l.close(C.FRAZIL_LEASE_ALL_USED) }

// CloseUsed is Close for a program that has stamped nothing later than last.
func (l *Lease) CloseUsed(last time.Time) error { return l.close(C.int64_t(last.UnixMilli())) }

func (l *Lease) close(used C.int64_t) error {
	if l == nil {
		return l.enter()
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	runtime.SetFinalizer(l, nil)
	C.frazil_lease_close(l.raw, used)
	l.raw = nil
	l.granter.drop()
	l.granter = 0
	l.clock = nil
	return nil
}
