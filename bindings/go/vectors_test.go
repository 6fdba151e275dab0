// SPDX-License-Identifier: MIT

package frazil_test

// Goal of this test: the golden values of tests/vectors come out through the module.

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"testing"

	frazil "github.com/frazil/frazil-go"
)

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// same ends the test if two values differ, or there is an error.
func same(t *testing.T, got, want interface{}, err error) {
	t.Helper()
	if err != nil || got != want {
		t.Fatalf("got %v (%v), want %v", got, err, want)
	}
}

func TestVectorsOfTexts(t *testing.T) {
	forms := []frazil.Form{frazil.Hex, frazil.Crockford, frazil.Base36, frazil.Base58, frazil.Base62, frazil.Base64URL, frazil.Bytes}
	for _, row := range vectors(t, "text.tsv") {
		id := frazil.ID(number(t, row[0]))
		for i, form := range forms {
			same(t, id.Text(form), row[i+1], nil)
			read, err := frazil.ParseText(form, row[i+1])
			same(t, read, id, err)
		}
	}
}

func TestVectorsOfSnos(t *testing.T) {
	for _, row := range vectors(t, "sno.tsv") {
		sno, err := frazil.ParseSno(row[1])
		same(t, hex.EncodeToString(sno[:]), row[0], err)
		f := sno.Fields()
		same(t, f.Time().Format("2006-01-02T15:04:05.000Z"), row[2], nil)
		same(t, fmt.Sprint(f.UnixMs)+"000000", row[3], nil)
		same(t, fmt.Sprint(f.TickTock, f.Meta, f.Partition, f.Sequence), fmt.Sprint(row[4], " ", row[5], " ", row[6], " ", row[7]), nil)
		composed, err := frazil.ComposeSno(f)
		same(t, composed, sno, err)
	}
}

func TestVectorsOfKonayuki(t *testing.T) {
	for _, row := range vectors(t, "konayuki.tsv") {
		layout, err := frazil.ParseLayout(fmt.Sprintf("%s/%s/%s epoch=%s", row[0], row[1], row[2], row[3]))
		if err != nil {
			t.Fatal(err)
		}
		f := frazil.Fields{UnixMs: int64(number(t, row[8])), Worker: uint32(number(t, row[5])), Sequence: uint32(number(t, row[6]))}
		id, err := layout.Compose(f)
		same(t, id.String(), row[7], err)
		back, err := layout.Decompose(id)
		same(t, back, f, err)
		for i, shards := range []uint32{16, 7, 1000} {
			shard, err := frazil.Shard(id, shards)
			same(t, fmt.Sprint(shard), row[9+i], err)
		}
	}
	for _, row := range vectors(t, "workerhash.tsv") {
		worker, err := frazil.WorkerHash(row[0], uint32(number(t, row[1])))
		same(t, fmt.Sprint(worker), row[2], err)
	}
}

func TestVectorsOfKasumi(t *testing.T) {
	for _, row := range vectors(t, "kasumi.tsv") {
		salt, id := number(t, row[0]), number(t, row[1])
		scrambled, err := frazil.Kasumi(salt, id)
		same(t, scrambled, number(t, row[2])<<32|number(t, row[3]), err)
		for i, checked := range []bool{false, true} {
			text, err := frazil.Scramble(salt, checked, frazil.ID(id))
			same(t, text, row[4+i], err)
			back, err := frazil.Unscramble(salt, checked, text)
			same(t, uint64(back), id, err)
		}
	}
}

func TestVectorsOfFlake(t *testing.T) {
	for _, row := range vectors(t, "flake.tsv") {
		generator, err := frazil.Open(fmt.Sprintf("layout=flake behaviour=flake epoch=%s datacenter=%s worker=fixed:%s state=memory "+
			"clock=frozen:%s allow_short_life=yes", row[1], row[2], row[3], row[0]))
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]frazil.ID, number(t, row[4]))
		err = generator.Fill(ids)
		last := ids[len(ids)-1]
		same(t, last.Text(frazil.Bytes)+" "+last.String(), row[5]+" "+row[6], err)
		generator.Close()
	}
}

func TestVectorsOfThePublic(t *testing.T) {
	for _, row := range vectors(t, "public.tsv") {
		layout, err := frazil.ParseLayout(row[0])
		if err != nil {
			t.Fatal(err)
		}
		f, err := layout.Decompose(frazil.ID(number(t, row[1])))
		same(t, fmt.Sprint(f.Time().Format("2006-01-02T15:04:05.000Z"), " ", f.Worker, " ", f.Sequence), fmt.Sprint(row[2], " ", row[3], " ", row[4]), err)
	}
}
