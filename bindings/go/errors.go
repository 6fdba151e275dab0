// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"errors"
	"time"
)

// Code is a number of the library's table of errors. It never changes its meaning. A Code is an error itself, so that
// errors.Is(err, frazil.EPool) asks for it.
type Code int32

// The errors of the table.
const (
	EInval       Code = C.FRAZIL_EINVAL       // an argument is outside what the function accepts
	ESpec        Code = C.FRAZIL_ESPEC        // the spec cannot be understood
	ELayout      Code = C.FRAZIL_ELAYOUT      // the layout is not valid
	ERange       Code = C.FRAZIL_ERANGE       // the value does not fit its field
	EParse       Code = C.FRAZIL_EPARSE       // the text is not in the stated form
	EChecksum    Code = C.FRAZIL_ECHECKSUM    // the check digits do not match
	EBuffer      Code = C.FRAZIL_EBUFFER      // the buffer is too small
	ENoWorker    Code = C.FRAZIL_ENOWORKER    // no worker id was given, and none is ever guessed
	EWorker      Code = C.FRAZIL_EWORKER      // the source of the worker id gave no usable number
	EShortLife   Code = C.FRAZIL_ESHORTLIFE   // the layout has less than ten years left
	EKind        Code = C.FRAZIL_EKIND        // the call does not suit this kind of layout
	ENotBuilt    Code = C.FRAZIL_ENOTBUILT    // this part is not there
	ERefused     Code = C.FRAZIL_EREFUSED     // the coordinator refuses
	ENamespace   Code = C.FRAZIL_ENAMESPACE   // the namespace is missing, was wiped, or was created for something else
	EAgain       Code = C.FRAZIL_EAGAIN       // no id is free right now
	EFull        Code = C.FRAZIL_EFULL        // the tick is full and the call may not wait long enough for the next
	EClock       Code = C.FRAZIL_ECLOCK       // the clock is behind ids already issued, or before the layout's epoch
	EUnreachable Code = C.FRAZIL_EUNREACHABLE // the coordinator does not answer
	EPool        Code = C.FRAZIL_EPOOL        // all worker ids are taken
	ELease       Code = C.FRAZIL_ELEASE       // the grant of the worker id has ended
	EExhausted   Code = C.FRAZIL_EEXHAUSTED   // the layout has no tick left
	ENoMem       Code = C.FRAZIL_ENOMEM       // out of memory
	ESys         Code = C.FRAZIL_ESYS         // a system call failed
	EState       Code = C.FRAZIL_ESTATE       // a state file is damaged, or is of another layout, worker or version
	EStopped     Code = C.FRAZIL_ESTOPPED     // the generator was stopped, or closed
)

// Name is the code's name in the library, as "FRAZIL_EFULL".
func (c Code) Name() string { return C.GoString(C.frazil_err_name(C.frazil_err(c))) }

// Error is the code's sentence in the table.
func (c Code) Error() string { return C.GoString(C.frazil_strerror(C.frazil_err(c))) }

// Class says what the caller can do about it.
func (c Code) Class() Class { return Class(C.frazil_err_classify(C.frazil_err(c))) }

// Class says what the caller can do about an error. A Class is an error itself, so that errors.Is(err, frazil.Retry) asks
// for it.
type Class int32

// The classes.
const (
	Usage  Class = C.FRAZIL_CLASS_USAGE  // correct the call or the configuration
	Retry  Class = C.FRAZIL_CLASS_RETRY  // the same call can succeed later: Error.Retry says when
	Fenced Class = C.FRAZIL_CLASS_FENCED // this generator cannot now: go elsewhere or wait
	Fatal  Class = C.FRAZIL_CLASS_FATAL  // it will not get better by itself
)

// String is the class in small letters, as "retry".
func (c Class) String() string {
	return C.GoString(C.frazil_err_class_name(C.frazil_err_class(c)))
}

// Error names the class.
func (c Class) Error() string { return "frazil: an error of class " + c.String() }

// Error says why a call failed.
type Error struct {
	Code     Code
	Sentence string        // what is wrong, where, and what would be right
	Retry    time.Duration // of class Retry: the call can succeed after this time; 0 where that is not known
	Behind   time.Duration // of EClock: so far the clock is behind the highest time seen; else 0
	Position int           // of a text that was read: so many bytes stand before what is wrong; else -1
	Errno    int           // of ESys: the error of the operating system; else 0
}

// Error is the sentence.
func (e *Error) Error() string { return e.Sentence }

// Class says what the caller can do about it.
func (e *Error) Class() Class { return e.Code.Class() }

// Is tells errors.Is which code and which class it has.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case Code:
		return e.Code == t
	case Class:
		return e.Code.Class() == t
	}
	return false
}

// newError is an error that the binding itself finds.
func newError(code Code, sentence string) *Error {
	return &Error{Code: code, Sentence: sentence, Position: -1}
}

// errorOf is the error of a function that says its code alone; nil for success.
func errorOf(err C.frazil_err) error {
	if err == C.FRAZIL_OK {
		return nil
	}
	return newError(Code(err), Code(err).Error())
}

// errorFrom is the error of a function that has explained itself; nil for success.
func errorFrom(err C.frazil_err, why *C.frazil_error) error {
	if err == C.FRAZIL_OK {
		return nil
	}
	return &Error{
		Code:     Code(why.code),
		Sentence: C.GoString(&why.message[0]),
		Retry:    time.Duration(why.retry_ns),
		Behind:   time.Duration(why.behind_us) * time.Microsecond,
		Position: int(why.position),
		Errno:    int(why.sys_errno),
	}
}

// explained is the error of a call, with the reason that another call has told.
func explained(code Code, why error) error {
	var e *Error
	if !errors.As(why, &e) {
		return newError(code, code.Error())
	}
	if e.Code != code {
		e.Sentence = code.Error() + ": " + e.Sentence
		e.Code = code
	}
	return e
}
