// SPDX-License-Identifier: MIT

package frazil

/*
#include "shims.h"
*/
import "C"

import (
	"errors"
	"syscall"
	"time"
)

// The compiler stops here if a class of errors.go differs from the header.
var _ = [1]int{}[(Usage-C.FRAZIL_CLASS_USAGE)|(Retry-C.FRAZIL_CLASS_RETRY)|
	(Fenced-C.FRAZIL_CLASS_FENCED)|(Fatal-C.FRAZIL_CLASS_FATAL)]

// Name returns the code's name in the library, such as "FRAZIL_EFULL".
func (c Code) Name() string { return C.GoString(C.frazil_err_name(C.frazil_err(c))) }

// Error returns the code's sentence in the table.
func (c Code) Error() string { return C.GoString(C.frazil_strerror(C.frazil_err(c))) }

// Class returns the class, which tells what the caller can do about the error.
func (c Code) Class() Class { return Class(C.frazil_err_classify(C.frazil_err(c))) }

// String returns the class in lower case, such as "retry".
func (c Class) String() string {
	return C.GoString(C.frazil_err_class_name(C.frazil_err_class(c)))
}

// Unwrap returns the error of the operating system, for errors.Is(err, fs.ErrPermission); nil if there is none.
func (e *Error) Unwrap() error {
	if e.Errno == 0 {
		return nil
	}
	return syscall.Errno(e.Errno)
}

// errorOf returns the error of a function that returns only a code; nil for success.
func errorOf(err C.frazil_err) error {
	if err == C.FRAZIL_OK {
		return nil
	}
	return newError(Code(err), Code(err).Error())
}

// errorFrom returns the error of a function that has filled in the reason; nil for success.
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

// explained returns the error of a call, with the reason that another call has given.
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
