// SPDX-License-Identifier: MIT

// Command sno makes snos and takes them apart, with the arguments of the command of github.com/muyo/sno.
//
//	sno generate [--meta=N] [--partition=N] [how many]
//	sno inspect ID
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"

	"github.com/frazil/frazil-go/compat/sno"
)

const usage = `Makes snos, unique ids of 16 characters, and takes them apart.

  sno [options] generate [N]   prints N new snos, one a line (default 1)
      -meta=N                  their metabyte, 0 to 255
      -partition=N             their partition, 0 to 65535; without it one is chosen by the time of start
  sno inspect ID               prints the parts of a sno
  sno help                     prints this
`

func main() {
	meta := flag.String("meta", "", "the metabyte, 0 to 255")
	partition := flag.String("partition", "", "the partition, 0 to 65535")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	arguments := flag.Args()
	command := "generate"
	if len(arguments) > 0 {
		command = arguments[0]
		// Options may also stand behind the command.
		if err := flag.CommandLine.Parse(arguments[1:]); err != nil {
			os.Exit(2)
		}
		arguments = flag.Args()
	}
	var err error
	switch {
	case command == "generate" && len(arguments) <= 1:
		err = generate(arguments, *meta, *partition)
	case command == "inspect" && len(arguments) == 1:
		err = inspect(arguments[0])
	case command == "help":
		fmt.Print(usage)
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sno:", err)
		os.Exit(1)
	}
}

// number reads an option's or an argument's number; an empty text is fallback.
func number(what, text string, fallback uint64, bits int) (uint64, error) {
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%s is '%s': it must be a whole number from 0 to %d", what, text, uint64(1)<<(bits-1)*2-1)
	}
	return n, nil
}

func generate(arguments []string, metaText, partitionText string) error {
	count := ""
	if len(arguments) == 1 {
		count = arguments[0]
	}
	n, err := number("the number of snos", count, 1, 32)
	if err != nil {
		return err
	}
	meta, err := number("-meta", metaText, 0, 8)
	if err != nil {
		return err
	}
	var snapshot *sno.GeneratorSnapshot
	if partitionText != "" {
		p, err := number("-partition", partitionText, 0, 16)
		if err != nil {
			return err
		}
		snapshot = &sno.GeneratorSnapshot{}
		snapshot.Partition.PutUint16(uint16(p))
	}
	generator, err := sno.NewGenerator(snapshot, nil)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for ; n > 0; n-- {
		fmt.Fprintln(out, generator.New(byte(meta)))
	}
	return out.Flush()
}

func inspect(text string) error {
	id, err := sno.FromEncodedString(text)
	if err != nil {
		return fmt.Errorf("'%s' is no sno: %w", text, err)
	}
	fmt.Printf(`
-- Representations

    Encoded: %v
      Bytes: %v

-- Components

       Time: %v
  Timestamp: %v
       Meta: %v
  Partition: %v
   Sequence: %v

`, id, id.Bytes(), id.Time().UTC(), id.Timestamp(), id.Meta(), id.Partition().AsUint16(), id.Sequence())
	return nil
}
