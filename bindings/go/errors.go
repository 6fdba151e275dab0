// SPDX-License-Identifier: MIT

package frazil

import "time"

// Code is the number of an error in the library's table. Its meaning never changes. A Code is itself an error, so that
// errors.Is(err, frazil.EPool) works.
type Code int32

// The errors of the table.
const (
	EInval       Code = -1  // an argument is outside what the function accepts
	ESpec        Code = -2  // the spec cannot be understood
	ELayout      Code = -3  // the layout is not valid
	ERange       Code = -4  // the value does not fit its field
	EParse       Code = -5  // the text is not in the stated form
	EChecksum    Code = -6  // the check digits do not match: altered text, or another salt or key
	EBuffer      Code = -7  // the buffer is too small
	ENoWorker    Code = -8  // no worker id was given, and none is ever guessed
	EWorker      Code = -9  // the source of the worker id gave no usable number
	EShortLife   Code = -10 // the layout has less than ten years left
	EKind        Code = -11 // the call does not suit this kind of layout (64-bit ids or snos)
	ENotBuilt    Code = -12 // this part was not built into the library, or is not installed
	ERefused     Code = -13 // the coordinator refuses: a permission, a password, or a setting of its own
	ENamespace   Code = -14 // the namespace is missing, was wiped, or was created for something else
	EAgain       Code = -20 // no id is free right now
	EFull        Code = -21 // the tick is full and the call may not wait long enough for the next
	EClock       Code = -22 // the clock is behind ids already issued, or before the layout's epoch
	EUnreachable Code = -23 // the coordinator does not answer
	EPool        Code = -24 // all worker ids are taken
	ELease       Code = -30 // the grant of the worker id has ended
	EExhausted   Code = -40 // the layout has no tick left
	ENoMem       Code = -41 // out of memory
	ESys         Code = -42 // a system call failed
	EState       Code = -44 // a state file is damaged, or is of another layout, worker or version
	EStopped     Code = -45 // the generator was stopped or closed
)

// Class tells what the caller can do about an error. A Class is itself an error, so that errors.Is(err, frazil.Retry) works.
type Class int32

// The classes.
const (
	Usage  Class = 1 // correct the call or the configuration
	Retry  Class = 2 // the same call can succeed later: Error.Retry tells when
	Fenced Class = 3 // this generator cannot issue ids now: use another one, or wait
	Fatal  Class = 4 // the error will not go away by itself
)

// Error returns a text that names the class.
func (c Class) Error() string { return "frazil: an error of class " + c.String() }

// Error is the error of a call that failed.
type Error struct {
	Code     Code
	Sentence string        // what failed, where, and what to do next
	Retry    time.Duration // for class Retry: the call can succeed after this time; 0 if unknown
	Behind   time.Duration // how far the clock is behind the highest time seen, if that is the reason; else 0
	Position int           // for a parse error: the offset of the first wrong byte; else -1
	Errno    int           // for ESys: the errno of the operating system; else 0
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Sentence }

// Class returns the class of the error's code.
func (e *Error) Class() Class { return e.Code.Class() }

// Is reports whether target is the error's code or class, for errors.Is.
func (e *Error) Is(target error) bool {
	switch t := target.(type) {
	case Code:
		return e.Code == t
	case Class:
		return e.Code.Class() == t
	}
	return false
}

// newError returns an error that the binding itself finds.
func newError(code Code, sentence string) *Error {
	return &Error{Code: code, Sentence: sentence, Position: -1}
}
