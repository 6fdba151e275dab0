// SPDX-License-Identifier: MIT

// Command cost measures the time per id of frazil and of other modules, for bindings/costs.sh. It prints one line each: name,
// TAB, nanoseconds per id.
package main

import (
	"fmt"
	"math"
	"os"
	"time"

	bwmarrin "github.com/bwmarrin/snowflake"
	frazil "github.com/frazil/frazil-go"
	"github.com/frazil/frazil-go/compat/sno"
	"github.com/frazil/frazil-go/compat/snowflake"
	muyo "github.com/muyo/sno"
	"github.com/rs/xid"
	"github.com/sony/sonyflake"
)

const (
	ids    = 10000
	rounds = 15
)

// least prints the shortest time per id of several rounds. A round makes some calls, each of which takes `each` ids.
func least(name string, calls, each int, call func()) {
	best := math.Inf(1)
	for round := 0; round < rounds; round++ {
		begin := time.Now()
		for i := 0; i < calls; i++ {
			call()
		}
		best = math.Min(best, float64(time.Since(begin).Nanoseconds())/float64(calls)/float64(each))
	}
	fmt.Printf("%s\t%.3f\n", name, best)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	os.Setenv("FRAZIL_STATE", "memory")
	generator, err := frazil.Open(os.Args[1])
	must(err)
	batch := make([]frazil.ID, ids)
	least("Go, a call", 300000, 1, func() { generator.MustNext() })
	least("Go, a call as text", 300000, 1, func() { _ = generator.MustNext().String() })
	least(fmt.Sprintf("Go, batches of %d", ids), 300, ids, func() { must(generator.Fill(batch)) })

	// A node makes 4096 ids per tick, so this mostly measures the wait for the next tick.
	ours, err := snowflake.NewNode(1)
	must(err)
	theirs, err := bwmarrin.NewNode(1)
	must(err)
	least("Go, compat/snowflake, full ticks", 100000, 1, func() { ours.Generate() })
	least("bwmarrin, full ticks", 100000, 1, func() { theirs.Generate() })
	least("Go, compat/sno", 60000, 1, func() { sno.New(1) })
	least("sno", 60000, 1, func() { muyo.New(1) })
	least("xid", 300000, 1, func() { xid.New() })
	flake := sonyflake.NewSonyflake(sonyflake.Settings{MachineID: func() (uint16, error) { return 1, nil }})
	least("sonyflake, full ticks", 512, 1, func() {
		_, err := flake.NextID()
		must(err)
	})
}
