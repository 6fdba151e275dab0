// SPDX-License-Identifier: MIT

package frazil_test

// Goal of this test: what bindings/conformance/cases.jsonl says of frazil is so through the module, too. A member that nobody has
// asked for is an error, so that a slip in a case never passes for a check.

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	frazil "github.com/frazil/frazil-go"
)

// step is one call, or the head of a case: its members are taken one by one.
type step struct {
	left     map[string]json.RawMessage
	compared int
	wrong    string
}

func newStep(raw []byte) *step {
	s := &step{}
	if err := json.Unmarshal(raw, &s.left); err != nil {
		s.say("%v", err)
	}
	return s
}

func (s *step) say(format string, values ...interface{}) {
	if s.wrong == "" {
		s.wrong = fmt.Sprintf(format, values...)
	}
}

func (s *step) has(key string) bool {
	_, there := s.left[key]
	return there
}

func (s *step) finish(succeeded bool) {
	for key := range s.left {
		s.say("it has a member '%s' that this call does not know", key)
	}
	if succeeded && s.compared == 0 {
		s.say("nothing is expected of it")
	}
}

// need takes an input of a type.
func (s *step) need(key string, to interface{}) {
	raw, there := s.left[key]
	if !there {
		s.say("it needs a member '%s'", key)
		return
	}
	delete(s.left, key)
	if err := json.Unmarshal(raw, to); err != nil {
		s.say("its member '%s': %v", key, err)
	}
}

func (s *step) text(key string) (value string) {
	s.need(key, &value)
	return value
}

func (s *step) small(key string) (value uint32) {
	s.need(key, &value)
	return value
}

func (s *step) truth(key string) (value bool) {
	s.need(key, &value)
	return value
}

func (s *step) u64(key string) uint64 {
	n, err := strconv.ParseUint(s.text(key), 10, 64)
	if err != nil {
		s.say("its member '%s': %v", key, err)
	}
	return n
}

func (s *step) i64(key string) int64 {
	n, err := strconv.ParseInt(s.text(key), 10, 64)
	if err != nil {
		s.say("its member '%s': %v", key, err)
	}
	return n
}

func (s *step) id(key string) frazil.ID { return frazil.ID(s.u64(key)) }

func (s *step) bytes(key string) []byte {
	b, err := hex.DecodeString(s.text(key))
	if err != nil {
		s.say("its member '%s': %v", key, err)
	}
	return b
}

func (s *step) sno(key string) (sno frazil.Sno) {
	if n := copy(sno[:], s.bytes(key)); n != len(sno) {
		s.say("its member '%s' is not of ten bytes", key)
	}
	return sno
}

// is holds an answer against a member, if the call names it: numbers of 64 bits and texts as strings.
func (s *step) is(key string, answer interface{}) {
	raw, there := s.left[key]
	if !there {
		return
	}
	delete(s.left, key)
	s.compared++
	if b, err := json.Marshal(answer); err != nil || string(b) != compact(raw) {
		s.say("'%s' is %s, expected was %s", key, b, raw)
	}
}

// compact is JSON without blanks, as Marshal writes it.
func compact(raw json.RawMessage) string {
	var value interface{}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return err.Error()
	}
	b, _ := json.Marshal(value)
	return string(b)
}

func (s *step) isText(key string, answer interface{}) { s.is(key, fmt.Sprint(answer)) }

func (s *step) isSno(key string, sno frazil.Sno) { s.is(key, hex.EncodeToString(sno[:])) }

func (s *step) isBetween(key string, answer uint32) {
	low, high := key+"_from", key+"_to"
	if !s.has(low) && !s.has(high) {
		return
	}
	s.compared++
	if from, to := s.small(low), s.small(high); answer < from || answer > to {
		s.say("'%s' is %d, expected was %d to %d", key, answer, from, to)
	}
}

func (s *step) isError(err error) {
	var e *frazil.Error
	switch {
	case err == nil && s.has("error"):
		s.say("it succeeds, expected was an error")
	case err == nil:
	case !s.has("error"):
		s.say("%v", err)
	case !errors.As(err, &e):
		s.say("%v is no error of frazil", err)
	default:
		if !s.has("class") {
			s.say("it needs a member 'class' beside 'error'")
		}
		s.is("error", e.Code.Name())
		s.is("class", e.Class().String())
		s.isText("position", e.Position)
		if !errors.Is(err, e.Code) || !errors.Is(err, e.Class()) {
			s.say("errors.Is does not know its code and class")
		}
	}
}

// subject is what a case is made on.
type subject struct {
	generator *frazil.Generator
	beside    *frazil.Generator
	clock     *frazil.ManualClock
	layout    frazil.Layout
}

func (c *subject) isID(s *step, id frazil.ID) {
	s.isText("id", id)
	if f, err := c.layout.Decompose(id); err == nil {
		s.isText("unix_ms", f.UnixMs)
		s.is("worker", f.Worker)
		s.isBetween("sequence", f.Sequence)
	}
}

func texts[T fmt.Stringer](values []T) []string {
	s := make([]string, len(values))
	for i, value := range values {
		s[i] = value.String()
	}
	return s
}

type hexSno frazil.Sno

func (s hexSno) String() string { return hex.EncodeToString(s[:]) }

// calls has a function for each call.
var calls = map[string]func(c *subject, s *step) error{
	"next": func(c *subject, s *step) error {
		id, err := c.generator.Next()
		if err == nil {
			c.isID(s, id)
		}
		return err
	},
	// A binding without handles of threads: a call of its own is what stands for one.
	"local_next": nil,
	"try_next": func(c *subject, s *step) error {
		id, err := c.generator.TryNext()
		if err == nil {
			c.isID(s, id)
		}
		return err
	},
	"next_at": func(c *subject, s *step) error {
		id, err := c.generator.NextAt(time.UnixMilli(s.i64("at")))
		if err == nil {
			c.isID(s, id)
		}
		return err
	},
	"next_n": func(c *subject, s *step) error {
		ids := make([]frazil.ID, s.small("n"))
		err := c.generator.Fill(ids)
		if err == nil {
			s.is("ids", texts(ids))
		}
		return err
	},
	"take": nil, // waits on the manual clock: see the test of contexts
	"sno_next": func(c *subject, s *step) error {
		sno, err := c.generator.NextSno(byte(s.small("meta")))
		if err == nil {
			s.isSno("sno", sno)
		}
		return err
	},
	"sno_try_next": func(c *subject, s *step) error {
		sno, err := c.generator.TryNextSno(byte(s.small("meta")))
		if err == nil {
			s.isSno("sno", sno)
		}
		return err
	},
	"sno_next_n": func(c *subject, s *step) error {
		meta := byte(s.small("meta"))
		snos := make([]frazil.Sno, s.small("n"))
		err := c.generator.FillSnos(meta, snos)
		if err == nil {
			shown := make([]hexSno, len(snos))
			for i := range snos {
				shown[i] = hexSno(snos[i])
			}
			s.is("snos", texts(shown))
		}
		return err
	},
	"sno_next_at": func(c *subject, s *step) error {
		sno, err := c.generator.NextSnoAt(byte(s.small("meta")), time.UnixMilli(s.i64("at")))
		if err == nil {
			s.isSno("sno", sno)
		}
		return err
	},
	"info": func(c *subject, s *step) error {
		info := c.generator.Info()
		s.is("worker", info.Worker)
		s.is("sequence_min", info.SequenceMin)
		s.is("sequence_max", info.SequenceMax)
		s.isText("capacity", info.Capacity)
		s.is("collision_ppm", info.CollisionPPM)
		s.is("fingerprint", c.layout.String())
		return nil
	},
	"available": func(c *subject, s *step) error {
		s.isText("available", c.generator.Available())
		return nil
	},
	"stats": func(c *subject, s *step) error {
		for name, value := range c.generator.Stats() {
			s.isText(name, value)
		}
		return nil
	},
	"stop": func(c *subject, s *step) error {
		c.generator.Stop()
		s.compared++ // it has no answer
		return nil
	},
	"set_clock": func(c *subject, s *step) error {
		c.clock.Set(s.i64("at"))
		s.compared++
		return nil
	},
	"advance_clock": func(c *subject, s *step) error {
		c.clock.Advance(time.Duration(s.u64("ns")))
		s.compared++
		return nil
	},
	"compose": func(c *subject, s *step) error {
		id, err := c.layout.Compose(frazil.Fields{
			UnixMs: s.i64("unix_ms"), Worker: s.small("worker"), Sequence: s.small("sequence")})
		if err == nil {
			s.isText("id", id)
		}
		return err
	},
	"decompose": func(c *subject, s *step) error {
		f, err := c.layout.Decompose(s.id("id"))
		if err == nil {
			s.isText("unix_ms", f.UnixMs)
			s.is("worker", f.Worker)
			s.is("sequence", f.Sequence)
			s.is("datacenter", c.layout.DatacenterOf(f.Worker))
			s.is("worker_in_datacenter", c.layout.WorkerInDatacenter(f.Worker))
		}
		return err
	},
	"range": func(c *subject, s *step) error {
		first, last, err := c.layout.Range(s.i64("from_unix_ms"), s.i64("to_unix_ms"))
		if err == nil {
			s.isText("first", first)
			s.isText("last", last)
		}
		return err
	},
	"describe": func(c *subject, s *step) error {
		info := c.layout.Info()
		s.is("total_bits", info.TotalBits)
		s.isText("workers", info.Workers)
		s.isText("ids_per_tick", info.IDsPerTick)
		s.isText("ids_per_second", info.IDsPerSecond)
		s.isText("first_unix_ms", info.FirstUnixMs)
		s.isText("last_unix_ms", info.LastUnixMs)
		s.isText("max_id", info.MaxID)
		s.is("reaches_sign_bit", info.ReachesSignBit)
		s.isText("sign_bit_unix_ms", info.SignBitUnixMs)
		s.is("fits_53_bits", info.Fits53Bits)
		return nil
	},
	"fingerprint": func(c *subject, s *step) error {
		s.is("text", c.layout.String())
		return nil
	},
	"overlap": func(c *subject, s *step) error {
		text, since := s.text("after"), s.i64("since_unix_ms")
		after, err := frazil.ParseLayout(text)
		if err != nil {
			return err
		}
		found, err := c.layout.Overlap(after, since)
		if err == nil {
			s.is("can_collide", found.CanCollide)
			s.is("can_missort", found.CanMissort)
			s.is("ever_safe", found.EverSafe)
			s.isText("old_last", found.OldLast)
			s.isText("new_first", found.NewFirst)
			s.isText("safe_unix_ms", found.SafeUnixMs)
		}
		return err
	},
	"format": func(c *subject, s *step) error {
		id, name := s.id("id"), s.text("form")
		form, err := frazil.FormByName(name)
		if err == nil {
			s.is("text", id.Text(form))
		}
		return err
	},
	"parse": func(c *subject, s *step) error {
		text, name := s.text("text"), s.text("form")
		form, err := frazil.FormByName(name)
		if err != nil {
			return err
		}
		id, err := frazil.ParseText(form, text)
		if err == nil {
			s.isText("id", id)
		}
		return err
	},
	"bytes_write": func(c *subject, s *step) error {
		b := s.id("id").Bytes()
		s.is("bytes", hex.EncodeToString(b[:]))
		return nil
	},
	"bytes_read": func(c *subject, s *step) error {
		id, err := frazil.IDFromBytes(s.bytes("bytes"))
		if err == nil {
			s.isText("id", id)
		}
		return err
	},
	"shard": func(c *subject, s *step) error {
		shard, err := frazil.Shard(s.id("id"), s.small("shards"))
		if err == nil {
			s.is("shard", shard)
		}
		return err
	},
	"worker_hash": func(c *subject, s *step) error {
		worker, err := frazil.WorkerHash(s.text("text"), s.small("workers"))
		if err == nil {
			s.is("worker", worker)
		}
		return err
	},
	"collision": func(c *subject, s *step) error {
		ppm, err := frazil.WorkerCollision(s.small("hosts"), s.u64("workers"))
		if err == nil {
			s.is("ppm", ppm)
		}
		return err
	},
	"kasumi": func(c *subject, s *step) error {
		id, err := frazil.Kasumi(s.u64("salt"), s.u64("id"))
		if err == nil {
			s.isText("scrambled", id)
		}
		return err
	},
	"scramble": func(c *subject, s *step) error {
		text, err := frazil.Scramble(s.u64("salt"), s.truth("checked"), s.id("id"))
		if err == nil {
			s.is("text", text)
		}
		return err
	},
	"unscramble": func(c *subject, s *step) error {
		id, err := frazil.Unscramble(s.u64("salt"), s.truth("checked"), s.text("text"))
		if err == nil {
			s.isText("id", id)
		}
		return err
	},
	"time_format": func(c *subject, s *step) error {
		text, err := frazil.FormatTime(s.i64("unix_ms"))
		if err == nil {
			s.is("text", text)
		}
		return err
	},
	"time_parse": func(c *subject, s *step) error {
		unixMs, err := frazil.ParseTime(s.text("text"))
		if err == nil {
			s.isText("unix_ms", unixMs)
		}
		return err
	},
	"sno_compose": func(c *subject, s *step) error {
		sno, err := frazil.ComposeSno(frazil.SnoFields{
			UnixMs: s.i64("unix_ms"), TickTock: uint8(s.small("ticktock")), Meta: uint8(s.small("meta")),
			Partition: uint16(s.small("partition")), Sequence: uint16(s.small("sequence"))})
		if err == nil {
			s.isSno("sno", sno)
		}
		return err
	},
	"sno_decompose": func(c *subject, s *step) error {
		f := s.sno("sno").Fields()
		s.isText("unix_ms", f.UnixMs)
		s.is("ticktock", f.TickTock)
		s.is("meta", f.Meta)
		s.is("partition", f.Partition)
		s.is("sequence", f.Sequence)
		return nil
	},
	"sno_encode": func(c *subject, s *step) error {
		s.is("text", s.sno("sno").String())
		return nil
	},
	"sno_decode": snoOf(func(s *step) (frazil.Sno, error) { return frazil.ParseSno(s.text("text")) }),
	"sno_range": func(c *subject, s *step) error {
		first, last, err := frazil.SnoRange(s.i64("from_unix_ms"), s.i64("to_unix_ms"))
		if err == nil {
			s.isSno("first", first)
			s.isSno("last", last)
		}
		return err
	},
	"uuid_format": func(c *subject, s *step) error {
		s.is("text", s.sno("sno").UUID())
		return nil
	},
	"uuid_parse": snoOf(func(s *step) (frazil.Sno, error) { return frazil.ParseSnoUUID(s.text("text")) }),
	"uuid_read":  snoOf(func(s *step) (frazil.Sno, error) { return frazil.SnoFromUUID(s.bytes("bytes")) }),
	"sno_to_json": func(c *subject, s *step) error {
		b, err := s.sno("sno").MarshalJSON()
		s.is("text", string(b))
		return err
	},
	"sno_from_json": snoOf(func(s *step) (sno frazil.Sno, err error) {
		err = sno.UnmarshalJSON([]byte(s.text("text")))
		return sno, err
	}),
	"sno_from_column": snoOf(func(s *step) (sno frazil.Sno, err error) {
		err = sno.Scan(s.bytes("bytes"))
		return sno, err
	}),
	"partition_format": func(c *subject, s *step) error {
		s.is("text", frazil.FormatPartition(uint16(s.small("partition"))))
		return nil
	},
	"partition_parse": func(c *subject, s *step) error {
		partition, err := frazil.ParsePartition(s.text("text"))
		if err == nil {
			s.is("partition", partition)
		}
		return err
	},
}

func snoOf(read func(s *step) (frazil.Sno, error)) func(c *subject, s *step) error {
	return func(c *subject, s *step) error {
		sno, err := read(s)
		if err == nil {
			s.isSno("sno", sno)
		}
		return err
	}
}

func init() {
	calls["local_next"] = calls["next"]
	calls["take"] = func(c *subject, s *step) error {
		n, wait := s.small("n"), s.u64("wait_ns")
		if wait > uint64(time.Hour) {
			wait = uint64(time.Hour)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(wait))
		defer cancel()
		ids, err := c.generator.Take(ctx, int(n))
		if err == nil {
			s.is("ids", texts(ids))
		}
		return err
	}
}

func open(c *subject, s *step, scratch string) error {
	var err error
	if s.has("spec") {
		spec := strings.ReplaceAll(s.text("spec"), "SCRATCH", scratch)
		if s.has("beside") {
			if c.beside, err = frazil.Open(strings.ReplaceAll(s.text("beside"), "SCRATCH", scratch)); err != nil {
				return err
			}
		}
		var options []frazil.Option
		if s.has("clock_unix_ms") {
			if c.clock, err = frazil.NewManualClock(s.i64("clock_unix_ms")); err != nil {
				return err
			}
			options = append(options, frazil.WithClock(c.clock))
		}
		if c.generator, err = frazil.Open(spec, options...); err == nil {
			c.layout = c.generator.Layout()
		}
	} else if s.has("layout") {
		c.layout, err = frazil.ParseLayout(s.text("layout"))
	}
	return err
}

// runCase returns what is not as the case says.
func runCase(line, scratch string) string {
	s := newStep([]byte(line))
	name := s.text("name")
	var made []json.RawMessage
	if s.has("calls") {
		s.need("calls", &made)
	}
	environment := map[string]string{}
	if s.has("environment") {
		s.need("environment", &environment)
	}
	for variable, value := range environment {
		os.Setenv(variable, value)
	}
	c := &subject{}
	err := open(c, s, scratch)
	for variable := range environment {
		os.Unsetenv(variable)
	}
	for _, generator := range []*frazil.Generator{c.generator, c.beside} {
		if generator != nil {
			defer generator.Close()
		}
	}
	s.isError(err)
	s.finish(false)
	if err == nil && len(made) == 0 {
		s.say("the case makes no call")
	}
	for i, raw := range made {
		if err != nil || s.wrong != "" {
			break
		}
		call := newStep(raw)
		what := call.text("call")
		if make := calls[what]; make == nil {
			call.say("there is no such call")
		} else {
			err := make(c, call)
			call.isError(err)
			call.finish(err == nil)
		}
		if call.wrong != "" {
			return fmt.Sprintf("%s: call %d, %s: %s", name, i+1, what, call.wrong)
		}
	}
	if s.wrong != "" {
		return name + ": " + s.wrong
	}
	return ""
}

func TestConformance(t *testing.T) {
	for _, variable := range os.Environ() {
		if name := strings.SplitN(variable, "=", 2)[0]; strings.HasPrefix(name, "FRAZIL_") {
			t.Setenv(name, "") // puts it back at the end
			os.Unsetenv(name)
		}
	}
	scratch := t.TempDir()
	t.Setenv("FRAZIL_HOST_DIR", scratch+"/host")
	lines := strings.Split(strings.TrimSpace(tree(t, "bindings/conformance/cases.jsonl")), "\n")
	if len(lines) < 300 {
		t.Fatalf("there are %d cases", len(lines))
	}
	for i, line := range lines {
		if wrong := runCase(line, scratch); wrong != "" {
			t.Errorf("case %d: %s", i+1, wrong)
		}
	}
	for line, word := range map[string]string{
		`{"name": "a", "layout": "frazil", "calls": [{"call": "fingerprint"}]}`:                "nothing is expected",
		`{"name": "a", "layout": "frazil", "calls": [{"call": "fly", "id": "1"}]}`:             "no such call",
		`{"name": "a", "layout": "frazil", "calls": [{"call": "fingerprint", "texts": "41"}]}`: "does not know",
		`{"name": "a", "layout": "frazil", "calls": [{"call": "fingerprint", "text": "41"}]}`:  "expected",
		`{"name": "a", "layout": "frazil", "calls": []}`:                                       "makes no call",
		`{"name": "a", "layout": "no", "error": "FRAZIL_ELAYOUT"}`:                             "class",
		`{"name": "a", "layout": "no", "error": "FRAZIL_ESPEC", "class": "usage"}`:             "expected",
		`{"name": "a", "layout": "frazil", "error": "FRAZIL_ELAYOUT", "class": "usage"}`:       "succeeds",
	} {
		if wrong := runCase(line, scratch); !strings.Contains(wrong, word) {
			t.Errorf("%s: %s", line, wrong)
		}
	}
}
