// SPDX-License-Identifier: MIT

// Package snowflake has the names of github.com/bwmarrin/snowflake: change the import, and ids come from frazil.
//
// Nodes keep their state on the host: nodes with the same number share one sequence, within a process and across processes, also
// after a restart. FRAZIL_STATE=memory in the environment turns that off; another process is then refused the number. In that
// module Generate cannot fail. Here it waits up to ten seconds and then panics with a sentence.
package snowflake

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	frazil "github.com/frazil/frazil-go"
)

// Set these before the first call of NewNode.
var (
	// Epoch is the start of id time, in Unix milliseconds.
	Epoch int64 = 1288834974657
	// NodeBits is the width of the node number. NodeBits and StepBits together may have 22 bits.
	NodeBits uint8 = 10
	// StepBits is the width of the number within a millisecond.
	StepBits uint8 = 12
)

// ErrInvalidBase58 is returned by ParseBase58 for text that Base58 would not write.
var ErrInvalidBase58 = errors.New("invalid base58")

// ErrInvalidBase32 is returned by ParseBase32 for text that Base32 would not write.
var ErrInvalidBase32 = errors.New("invalid base32")

// JSONSyntaxError is returned by UnmarshalJSON for a value that is not a string.
type JSONSyntaxError struct{ original []byte }

// Error returns a sentence that shows the value.
func (e JSONSyntaxError) Error() string {
	return fmt.Sprintf("invalid snowflake ID %q", string(e.original))
}

// patience is how long Generate waits before it panics.
const patience = 10 * time.Second

// ID is a snowflake id.
type ID int64

// Node makes ids with one node number.
type Node struct {
	generator *frazil.Generator
}

// widths holds the epoch and widths of the last node, by which Time, Node and Step read ids.
var widths = struct {
	sync.RWMutex
	node, step uint8
}{node: 10, step: 12}

// NewNode makes a node. All nodes of a process with the same number, epoch and widths share a sequence.
func NewNode(node int64) (*Node, error) {
	if int(NodeBits)+int(StepBits) > 22 {
		return nil, errors.New("NodeBits and StepBits are " + strconv.Itoa(int(NodeBits)+int(StepBits)) +
			" bits together: they can be 22")
	}
	if max := int64(1)<<NodeBits - 1; node < 0 || node > max {
		return nil, errors.New("Node number must be between 0 and " + strconv.FormatInt(max, 10))
	}
	widths.Lock()
	widths.node, widths.step = NodeBits, StepBits
	widths.Unlock()
	spec := fmt.Sprintf("layout='%d/%d/%d epoch=%d' on_full=wait on_backward=hold max_lead=1s start=zero worker=fixed:%d "+
		"allow_short_life=yes", 63-int(NodeBits)-int(StepBits), NodeBits, StepBits, Epoch, node)
	generator, err := frazil.OpenShared(spec)
	if err != nil {
		return nil, err
	}
	return &Node{generator}, nil
}

// Close gives the number back if no other node has it. bwmarrin/snowflake has no such method; the number of a node that is not
// closed is given back when the node is collected.
func (n *Node) Close() error { return n.generator.Close() }

// Generate returns the next id. It panics if there is none for ten seconds.
func (n *Node) Generate() ID {
	id, err := n.generator.Next()
	if err != nil {
		id = n.insist(patience)
	}
	return ID(id)
}

func (n *Node) insist(patience time.Duration) frazil.ID {
	if n.generator == nil {
		panic("snowflake: the node was not made by NewNode")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ids, err := n.generator.Take(ctx, 1)
	if errors.Is(err, context.DeadlineExceeded) {
		id, why := n.generator.TryNext()
		if why == nil {
			return id
		}
		err = fmt.Errorf("%w: %v", err, why)
	}
	if err != nil {
		panic("snowflake: there is no id: " + err.Error())
	}
	return ids[0]
}

// ---- numbers and bytes ----------------------------------------------------------------

// Int64 returns the id as a number.
func (f ID) Int64() int64 { return int64(f) }

// ParseInt64 returns the id of a number.
func ParseInt64(id int64) ID { return ID(id) }

// IntBytes returns the eight bytes, big-endian.
func (f ID) IntBytes() (b [8]byte) {
	binary.BigEndian.PutUint64(b[:], uint64(f))
	return b
}

// ParseIntBytes returns the id of eight bytes, big-endian.
func ParseIntBytes(id [8]byte) ID { return ID(binary.BigEndian.Uint64(id[:])) }

// Bytes returns the characters of String.
func (f ID) Bytes() []byte { return strconv.AppendInt(nil, int64(f), 10) }

// ParseBytes reads the characters of String.
func ParseBytes(id []byte) (ID, error) { return ParseString(string(id)) }

// ---- text -----------------------------------------------------------------------------

func parse(text string, base int) (ID, error) {
	id, err := strconv.ParseInt(text, base, 64)
	return ID(id), err
}

// String returns the id in decimal.
func (f ID) String() string { return strconv.FormatInt(int64(f), 10) }

// ParseString reads decimal digits.
func ParseString(id string) (ID, error) { return parse(id, 10) }

// Base2 returns the id in binary.
func (f ID) Base2() string { return strconv.FormatInt(int64(f), 2) }

// ParseBase2 reads binary digits.
func ParseBase2(id string) (ID, error) { return parse(id, 2) }

// Base36 returns the id in digits and lower-case letters.
func (f ID) Base36() string { return strconv.FormatInt(int64(f), 36) }

// ParseBase36 reads text of Base36.
func ParseBase36(id string) (ID, error) { return parse(id, 36) }

// zBase32 holds the digits of Base32, which are those of z-base-32.
const zBase32 = "ybndrfg8ejkmcpqxot1uwisza345h769"

// Base32 returns the id in the digits of z-base-32, without padding.
func (f ID) Base32() string {
	var b [13]byte
	at := len(b)
	for rest := uint64(f); ; rest /= 32 {
		at--
		b[at] = zBase32[rest%32]
		if rest < 32 {
			return string(b[at:])
		}
	}
}

// zBase32Digits holds the value of each character plus one; 0: not a digit.
var zBase32Digits = func() (digits [256]byte) {
	for value, char := range []byte(zBase32) {
		digits[char] = byte(value) + 1
	}
	return digits
}()

// ParseBase32 reads text of Base32. It refuses ids that do not fit 64 bits.
func ParseBase32(b []byte) (ID, error) {
	var id uint64
	for _, char := range b {
		digit := zBase32Digits[char]
		if digit == 0 || id>>59 != 0 {
			return -1, ErrInvalidBase32
		}
		id = id<<5 | uint64(digit-1)
	}
	return ID(id), nil
}

// Base58 returns the id in base 58, lower-case letters first, without padding.
func (f ID) Base58() string { return frazil.ID(f).Text(frazil.Base58) }

// ParseBase58 reads text of Base58, also with leading zero digits. It refuses ids that do not fit 64 bits.
func ParseBase58(b []byte) (ID, error) {
	text := b
	for len(text) > 1 && text[0] == '1' {
		text = text[1:]
	}
	if len(text) == 0 {
		return 0, nil
	}
	id, err := frazil.ParseText(frazil.Base58, string(text))
	if err != nil {
		return -1, ErrInvalidBase58
	}
	return ID(id), nil
}

// Base64 returns Bytes in base 64.
func (f ID) Base64() string { return base64.StdEncoding.EncodeToString(f.Bytes()) }

// ParseBase64 reads text of Base64.
func ParseBase64(id string) (ID, error) {
	b, err := base64.StdEncoding.DecodeString(id)
	if err != nil {
		return -1, err
	}
	return ParseBytes(b)
}

// MarshalJSON returns a string of decimal digits.
func (f ID) MarshalJSON() ([]byte, error) { return []byte(`"` + f.String() + `"`), nil }

// UnmarshalJSON reads a string of decimal digits, and nothing else.
func (f *ID) UnmarshalJSON(b []byte) error {
	if len(b) < 3 || b[0] != '"' || b[len(b)-1] != '"' {
		return JSONSyntaxError{b}
	}
	id, err := ParseString(string(b[1 : len(b)-1]))
	if err != nil {
		return err
	}
	*f = id
	return nil
}

// ---- parts ----------------------------------------------------------------------------

func lastWidths() (node, step uint8) {
	widths.RLock()
	defer widths.RUnlock()
	return widths.node, widths.step
}

// Time returns the id's time in Unix milliseconds, by Epoch and the widths of the last node.
//
// Deprecated: it is wrong for ids of other widths; use Layout.Decompose of frazil.
func (f ID) Time() int64 {
	node, step := lastWidths()
	return int64(f)>>(node+step) + Epoch
}

// Node returns the id's node number, by the widths of the last node.
//
// Deprecated: see Time.
func (f ID) Node() int64 {
	node, step := lastWidths()
	return int64(f) >> step & (1<<node - 1)
}

// Step returns the id's number within the millisecond, by the widths of the last node.
//
// Deprecated: see Time.
func (f ID) Step() int64 {
	_, step := lastWidths()
	return int64(f) & (1<<step - 1)
}
