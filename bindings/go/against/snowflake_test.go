// SPDX-License-Identifier: MIT

// Package against holds the drop-ins against the modules that they stand in for.
package against

// Goal of this test: bwmarrin/snowflake and compat/snowflake answer alike.

import (
	"fmt"
	"math"
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"

	theirs "github.com/bwmarrin/snowflake"
	ours "github.com/frazil/frazil-go/compat/snowflake"
)

func TestMain(m *testing.M) {
	os.Setenv("FRAZIL_STATE", "memory")
	os.Exit(m.Run())
}

// alike ends the test if two answers differ.
func alike(t *testing.T, what string, their, our []interface{}) {
	t.Helper()
	if fmt.Sprintf("%#v", their) != fmt.Sprintf("%#v", our) {
		t.Fatalf("%s: theirs %#v, ours %#v", what, their, our)
	}
}

func list(values ...interface{}) []interface{} { return values }

// failed says whether there is an error, and not which: sentences may be better.
func failed(err error) bool { return err != nil }

func TestFormsOfSnowflake(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	numbers := []int64{0, 1, 31, 32, 57, 58, 1541815603606036480, math.MaxInt64}
	for i := 0; i < 20000; i++ {
		numbers = append(numbers, random.Int63()>>uint(random.Intn(63)))
	}
	for _, n := range numbers {
		a, b := theirs.ParseInt64(n), ours.ParseInt64(n)
		aj, _ := a.MarshalJSON()
		bj, _ := b.MarshalJSON()
		alike(t, fmt.Sprint(n),
			list(a.String(), a.Base2(), a.Base32(), a.Base36(), a.Base58(), a.Base64(), a.Bytes(), a.IntBytes(), a.Time(), a.Node(), a.Step(), aj),
			list(b.String(), b.Base2(), b.Base32(), b.Base36(), b.Base58(), b.Base64(), b.Bytes(), b.IntBytes(), b.Time(), b.Node(), b.Step(), bj))
	}
}

func TestReadingOfSnowflake(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	const chars = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/=\"- "
	texts := []string{"", "1", "11", "y", "yy", "\"\"", "\"12\"", "12", "\"12", "-5", "\"-5\""}
	for i := 0; i < 20000; i++ {
		b := make([]byte, 1+random.Intn(10)) // longer ones can be above 64 bits, which ours refuse
		for j := range b {
			b[j] = chars[random.Intn(len(chars))]
		}
		texts = append(texts, string(b))
	}
	for _, text := range texts {
		a2, a2e := theirs.ParseBase2(text)
		b2, b2e := ours.ParseBase2(text)
		a32, a32e := theirs.ParseBase32([]byte(text))
		b32, b32e := ours.ParseBase32([]byte(text))
		a36, a36e := theirs.ParseBase36(text)
		b36, b36e := ours.ParseBase36(text)
		a58, a58e := theirs.ParseBase58([]byte(text))
		b58, b58e := ours.ParseBase58([]byte(text))
		a64, a64e := theirs.ParseBase64(text)
		b64, b64e := ours.ParseBase64(text)
		as, ase := theirs.ParseString(text)
		bs, bse := ours.ParseString(text)
		// Version 0.3.0 takes most characters that are no digits for the digit 0; ours refuse them.
		if strings.Trim(text, "ybndrfg8ejkmcpqxot1uwisza345h769") != "" {
			a32, a32e = -1, ours.ErrInvalidBase32
		}
		if strings.Trim(text, "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ") != "" {
			a58, a58e = -1, ours.ErrInvalidBase58
		}
		var aj theirs.ID
		var bj ours.ID
		aje, bje := aj.UnmarshalJSON([]byte(text)), bj.UnmarshalJSON([]byte(text))
		alike(t, fmt.Sprintf("%q", text),
			list(int64(a2), failed(a2e), int64(a32), failed(a32e), int64(a36), failed(a36e), int64(a58), failed(a58e), int64(a64), failed(a64e), int64(as), failed(ase), int64(aj), failed(aje)),
			list(int64(b2), failed(b2e), int64(b32), failed(b32e), int64(b36), failed(b36e), int64(b58), failed(b58e), int64(b64), failed(b64e), int64(bs), failed(bse), int64(bj), failed(bje)))
	}
}

func TestNodesOfSnowflake(t *testing.T) {
	for _, widths := range [][2]uint8{{10, 12}, {8, 14}, {1, 20}, {12, 10}} {
		theirs.NodeBits, theirs.StepBits = widths[0], widths[1]
		ours.NodeBits, ours.StepBits = widths[0], widths[1]
		for _, number := range []int64{-1, 0, 1, 255, 1023, 1024, 4095, 4096} {
			a, aerr := theirs.NewNode(number)
			b, berr := ours.NewNode(number)
			if fmt.Sprint(aerr) != fmt.Sprint(berr) {
				t.Fatalf("%v, node %d: theirs %v, ours %v", widths, number, aerr, berr)
			}
			if aerr != nil {
				continue
			}
			from := time.Now().UnixMilli()
			aid, bid := a.Generate(), b.Generate()
			if aid.Node() != bid.Node() || bid.Node() != number || bid.Time() < from || bid.Time() > time.Now().UnixMilli()+1000 {
				t.Fatalf("%v, node %d: theirs %d, ours %d", widths, number, aid, bid)
			}
		}
	}
	theirs.NodeBits, ours.NodeBits = 12, 12
	theirs.StepBits, ours.StepBits = 12, 12
	if _, err := ours.NewNode(1); err == nil { // version 0.3.0 takes them, and its ids overflow
		t.Fatal("24 bits are taken")
	}
	theirs.NodeBits, ours.NodeBits = 10, 10
}
