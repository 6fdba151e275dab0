// SPDX-License-Identifier: MIT

package frazil_test

// Goal of this test: no id comes twice, whatever the program does: goroutines, other programs that share the worker number, kills
// and restarts, openings by the thousand, collections and closings in use, exits in the midst of a wait.

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	frazil "github.com/frazil/frazil-go"
)

// seen counts ids, and ends the test at the first that comes twice.
type seen map[frazil.ID]bool

func (s seen) add(t *testing.T, ids ...frazil.ID) {
	t.Helper()
	for _, id := range ids {
		if s[id] {
			t.Fatalf("%d comes twice", id)
		}
		s[id] = true
	}
}

func opened(t testing.TB, spec string, options ...frazil.Option) *frazil.Generator {
	t.Helper()
	generator, err := frazil.Open(spec, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { generator.Close() })
	return generator
}

func take(generator *frazil.Generator, n int) []frazil.ID {
	ids := make([]frazil.ID, n)
	for i := range ids {
		ids[i] = generator.MustNext()
	}
	return ids
}

// TestMain is also what a child process does: this program again, with a role.
func TestMain(m *testing.M) {
	role := os.Getenv("TEST_ROLE")
	if role == "" {
		os.Exit(m.Run())
	}
	generator, err := frazil.Open(os.Getenv("TEST_SPEC"))
	if err != nil {
		panic(err)
	}
	switch role {
	case "some":
		for _, id := range take(generator, 5000) {
			fmt.Println(id)
		}
	case "endless":
		for {
			fmt.Println(generator.MustNext()) // printed before the next one is taken
		}
	case "waits":
		waiting := make(chan bool)
		go func() {
			take(generator, 2)
			close(waiting)
			generator.Take(context.Background(), 1)
		}()
		<-waiting
		os.Exit(7)
	case "silent":
		overSilence(generator)
	case "asks":
		byAsking(generator)
	case "closes":
		closeOverSilence(generator)
	}
	os.Exit(0)
}

// silence stops the Redis that has the slots, after an id of it, and returns its process id.
func silence(generator *frazil.Generator) int {
	redis, err := strconv.Atoi(os.Getenv("TEST_REDIS"))
	if err != nil {
		panic(err)
	}
	if _, err := generator.Take(context.Background(), 1); err != nil {
		panic(err)
	}
	syscall.Kill(redis, syscall.SIGSTOP)
	return redis
}

// closeOverSilence closes a generator whose Fill has taken what was in hand and waits for more. It prints how many ids the slice
// has then, and the error.
func closeOverSilence(generator *frazil.Generator) {
	redis := silence(generator)
	ids := make([]frazil.ID, 9000) // the first try is served, and the next has to ask
	filled := make(chan error)
	go func() { filled <- generator.Fill(ids) }()
	time.Sleep(200 * time.Millisecond)
	closed := make(chan error)
	go func() { closed <- generator.Close() }()
	err := <-filled
	syscall.Kill(redis, syscall.SIGCONT)
	left := 0
	for _, id := range ids {
		if id != 0 {
			left++
		}
	}
	fmt.Println(left, errors.Is(err, frazil.EStopped), <-closed)
}

// overSilence stops the Redis that has the slots, and prints the errors of calls that wait for it.
func overSilence(generator *frazil.Generator) {
	redis := silence(generator)
	begun := time.Now()
	briefly := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		go func() {
			<-ctx.Done()
			cancel()
		}()
		return ctx
	}
	_, next := generator.Next()
	_, again := generator.Next()
	fill := generator.Fill(make([]frazil.ID, 5))
	_, take := generator.Take(briefly(), 1)
	var each error
	generator.IDs()(func(_ frazil.ID, err error) bool {
		each = err
		return true
	})
	var running sync.WaitGroup
	for i := 0; i < 1000; i++ {
		running.Add(1)
		go func() {
			defer running.Done()
			generator.Take(briefly(), 1)
		}()
	}
	running.Wait()
	threads, _ := os.ReadDir("/proc/self/task")
	fmt.Println(time.Since(begun) < 50*time.Second, len(threads) < 500)
	for _, err := range []error{next, again, fill, each} {
		fmt.Println(errors.Is(err, frazil.Retry), strings.Contains(err.Error(), "the answer of the coordinator"))
	}
	fmt.Println(take)
	syscall.Kill(redis, syscall.SIGCONT)
	_, err := generator.Take(context.Background(), 1)
	fmt.Println(err, generator.Close())
}

// byAsking prints the errors of calls that wait for nothing but the answer of the Redis that has the slots.
func byAsking(generator *frazil.Generator) {
	if _, err := generator.Take(context.Background(), 1); err != nil { // new slots begin a little ahead
		panic(err)
	}
	for i := 0; i < 10; i++ {
		time.Sleep(20 * time.Millisecond) // no slot stays in hand
		_, next := generator.Next()
		time.Sleep(20 * time.Millisecond)
		fill := generator.Fill(make([]frazil.ID, 1))
		fmt.Println(next, fill)
	}
}

// start starts this program in a role.
func start(t *testing.T, role, spec string) (*exec.Cmd, io.Reader) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "TEST_ROLE="+role, "TEST_SPEC="+spec)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return child, out
}

// read reads ids, one a line, up to most of them; negative: all. A last line that was cut off is none.
func read(t *testing.T, from *bufio.Reader, most int) (ids []frazil.ID) {
	t.Helper()
	for most < 0 || len(ids) < most {
		line, err := from.ReadString('\n')
		if err != nil {
			return ids
		}
		id, err := frazil.ParseID(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func TestGoroutinesShareAGenerator(t *testing.T) {
	generator := opened(t, in(t, "layout=41/6/16 worker=fixed:3"))
	all := seen{}
	var lock sync.Mutex
	var running sync.WaitGroup
	for i := 0; i < 8; i++ {
		running.Add(1)
		go func(i int) {
			defer running.Done()
			ids := take(generator, 10000)
			batch := make([]frazil.ID, 3000+i)
			if err := generator.Fill(batch); err != nil {
				t.Error(err)
			}
			more, err := generator.Take(context.Background(), 500)
			if err != nil {
				t.Error(err)
			}
			lock.Lock()
			defer lock.Unlock()
			all.add(t, append(append(ids, batch...), more...)...)
		}(i)
	}
	running.Wait()
	if len(all) < 108000 {
		t.Fatalf("%d ids", len(all))
	}
}

func TestSeventyThousandOpenings(t *testing.T) {
	spec := in(t, "worker=fixed:5")
	all := seen{}
	keep := make([]*frazil.Generator, 0, 70000)
	for i := 0; i < 70000; i++ {
		generator, err := frazil.OpenShared(spec)
		if err != nil {
			t.Fatal(err)
		}
		keep = append(keep, generator)
		if i%10 == 0 {
			all.add(t, generator.MustNext())
		}
	}
	for _, generator := range keep {
		generator.Close()
	}
	if len(all) != 7000 {
		t.Fatalf("%d ids", len(all))
	}
}

func TestForgottenGeneratorsAreCollectedInUse(t *testing.T) {
	spec := in(t, "layout=41/6/16 worker=fixed:4")
	all := seen{}
	for i := 0; i < 200; i++ {
		generator, err := frazil.OpenShared(spec)
		if err != nil {
			t.Fatal(err)
		}
		all.add(t, take(generator, 20)...)
		generator = nil
		if i%10 == 0 {
			runtime.GC()
		}
		_ = generator
	}
}

func TestClosingOneOfThoseWhoShareStopsNobody(t *testing.T) {
	spec := in(t, "worker=fixed:5")
	one, err := frazil.OpenShared(spec)
	if err != nil {
		t.Fatal(err)
	}
	other, err := frazil.OpenShared(spec)
	if err != nil {
		t.Fatal(err)
	}
	one.Close()
	if id, err := other.Next(); err != nil {
		t.Fatal(id, err)
	}
	other.Close()
}

func TestWhoSharesIsFoundByWhatSpecAndOptionsMean(t *testing.T) {
	spec := in(t, "worker=fixed:5 state=memory") // of which there cannot be two
	one, err := frazil.OpenShared(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	other, err := frazil.OpenShared(spec, frazil.WithoutEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	clock, err := frazil.NewManualClock(0)
	if err != nil {
		t.Fatal(err)
	}
	var refused *frazil.Error
	if _, err := frazil.OpenShared(spec, frazil.WithClock(clock)); !errors.As(err, &refused) || refused.Code != frazil.EInval {
		t.Fatal(err)
	}
}

func TestCloseInUse(t *testing.T) {
	spec := in(t, "layout=41/6/16 worker=fixed:6")
	all := seen{}
	for round := 0; round < 20; round++ {
		generator, err := frazil.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		taken := make(chan []frazil.ID)
		began := make(chan bool, 4)
		for i := 0; i < 4; i++ {
			go func() {
				var ids []frazil.ID
				for {
					id, err := generator.Next()
					if err != nil {
						if !errors.Is(err, frazil.EStopped) || !errors.Is(err, frazil.Fatal) {
							t.Error(err)
						}
						taken <- ids
						return
					}
					if ids = append(ids, id); len(ids) == 10 {
						began <- true
					}
				}
			}()
		}
		<-began
		generator.Close()
		generator.Close()
		for i := 0; i < 4; i++ {
			all.add(t, <-taken...)
		}
		if _, err := generator.TryNext(); !errors.Is(err, frazil.EStopped) {
			t.Fatal(err)
		}
		if generator.Health().State != frazil.Stopped || generator.Stats() != nil {
			t.Fatal("a closed generator says that it is open")
		}
	}
}

func TestProgramsShareAWorkerNumber(t *testing.T) {
	spec := in(t, "layout=41/6/16 worker=fixed:7")
	generator := opened(t, spec)
	all := seen{}
	var outs []io.Reader
	for i := 0; i < 3; i++ {
		_, out := start(t, "some", spec)
		outs = append(outs, out)
	}
	all.add(t, take(generator, 5000)...)
	for _, out := range outs {
		all.add(t, read(t, bufio.NewReader(out), -1)...)
	}
	if len(all) != 20000 {
		t.Fatalf("%d ids", len(all))
	}
}

// The command is C. FRAZIL_COMMAND says where it is.
func TestTwoLanguagesShareAWorkerNumber(t *testing.T) {
	command := os.Getenv("FRAZIL_COMMAND")
	if command == "" {
		t.Skip("FRAZIL_COMMAND does not say where the command is")
	}
	spec := in(t, "layout=41/6/16 worker=fixed:8")
	generator := opened(t, spec)
	theirs := exec.Command(command, "next", "-n", "20000", spec)
	out, err := theirs.StdoutPipe()
	if err == nil {
		err = theirs.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	all := seen{}
	all.add(t, take(generator, 20000)...)
	all.add(t, read(t, bufio.NewReader(out), -1)...)
	if len(all) != 40000 {
		t.Fatalf("%d ids", len(all))
	}
}

func TestAKilledProgramStartsAgain(t *testing.T) {
	spec := in(t, "layout=41/6/16 worker=fixed:9")
	all := seen{}
	for i := 0; i < 4; i++ {
		child, out := start(t, "endless", spec)
		from := bufio.NewReader(out)
		ids := read(t, from, 500)
		if len(ids) != 500 {
			t.Fatalf("%d ids", len(ids))
		}
		all.add(t, ids...)
		child.Process.Kill() // SIGKILL
		all.add(t, read(t, from, -1)...)
		child.Wait()
	}
}

// overRedis runs this program in a role, with slots of a Redis of its own, and returns what it prints.
func overRedis(t *testing.T, role, keys string) (string, error) {
	t.Helper()
	parts := os.Getenv("TEST_PARTS")
	if _, err := os.Stat(filepath.Join(parts, "libfrazil-redis.so.1")); parts == "" || err != nil {
		t.Skip("TEST_PARTS does not say where the part for Redis is")
	}
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("there is no redis-server")
	}
	folder, err := os.MkdirTemp("", "go") // a short name, as is due to a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	redis := exec.Command(server, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder)
	if err := redis.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		redis.Process.Kill()
		redis.Wait()
	})
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "TEST_ROLE="+role, fmt.Sprint("TEST_REDIS=", redis.Process.Pid), "LD_LIBRARY_PATH="+parts+":"+os.Getenv("LD_LIBRARY_PATH"),
		"TEST_SPEC="+in(t, keys+" open_wait=5m state=redis+unix://"+socket+"/slots?timeout=60s"))
	child.Stderr = os.Stderr
	out, err := child.Output()
	return string(out), err
}

// The URL's timeout is far above each wait: a call that it bounds takes minutes.
func TestASilentServerIsWaitedForNoLongerThanACallMay(t *testing.T) {
	out, err := overRedis(t, "silent", "worker=fixed:3 batch=1 max_wait=200ms")
	same(t, out, "true true\n"+strings.Repeat("true true\n", 4)+"context deadline exceeded\n<nil> <nil>\n", err)
}

func TestASliceIsEmptyWhoseGeneratorIsClosedWhileItIsFilled(t *testing.T) {
	out, err := overRedis(t, "closes", "layout=41/9/13 worker=fixed:3 batch=8192 max_wait=unlimited")
	same(t, out, "0 true <nil>\n", err)
}

func TestWithoutAWaitTheServerIsAsked(t *testing.T) {
	out, err := overRedis(t, "asks", "worker=fixed:3 batch=1 max_wait=0s")
	same(t, out, strings.Repeat("<nil> <nil>\n", 10), err)
}

var hours int32

// twoAnHour has two ids an hour: a call for the third one waits longer than any test. Each test has a worker and a host of its
// own: the process and the host know which ids of this hour others have taken.
func twoAnHour(t *testing.T) string {
	return fmt.Sprintf("layout=41/21/1 tick=1h worker=fixed:%d start=zero state=memory max_lead=0s max_wait=unlimited "+
		"host_dir=%s/host", atomic.AddInt32(&hours, 1), t.TempDir())
}

func TestAProgramEndsWhileItWaits(t *testing.T) {
	child, _ := start(t, "waits", twoAnHour(t))
	var exit *exec.ExitError
	if err := child.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatal(err)
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	generator := opened(t, twoAnHour(t))
	take(generator, 2)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	for i := 0; i < 1000; i++ {
		// A thousand waits occupy no thread.
		go func() {
			_, err := generator.Take(ctx, 1)
			ended <- err
		}()
	}
	cancel()
	for i := 0; i < 1000; i++ {
		if err := <-ended; err != context.Canceled {
			t.Fatal(err)
		}
	}
	threads, _ := os.ReadDir("/proc/self/task")
	if len(threads) > 200 {
		t.Fatalf("%d threads", len(threads))
	}
}

func TestAWaitEndsWhenTheGeneratorIsClosed(t *testing.T) {
	generator := opened(t, twoAnHour(t))
	take(generator, 2)
	ended := make(chan error)
	go func() {
		_, err := generator.Next()
		ended <- err
	}()
	generator.Close()
	if err := <-ended; !errors.Is(err, frazil.EStopped) {
		t.Fatal(err)
	}
}

func TestATakeEndsWhereThePolicyMakesAFullTickAnError(t *testing.T) {
	generator := opened(t, twoAnHour(t)+" on_full=error")
	if ids, err := generator.Take(context.Background(), 3); !errors.Is(err, frazil.EFull) {
		t.Fatal(ids, err)
	}
}

func TestACallThatMayNotWaitSaysWhenToComeBack(t *testing.T) {
	generator := opened(t, strings.Replace(twoAnHour(t), "max_wait=unlimited", "max_wait=1ms", 1))
	take(generator, 2)
	var e *frazil.Error
	if _, err := generator.TryNext(); !errors.As(err, &e) || e.Code != frazil.EAgain || e.Retry <= 0 || e.Retry > time.Hour {
		t.Fatal(err)
	}
	if _, err := generator.Next(); !errors.As(err, &e) || e.Code != frazil.EFull || !errors.Is(err, frazil.Retry) || e.Retry <= 0 {
		t.Fatal(err)
	}
	ids := []frazil.ID{1, 2, 3}
	if err := generator.Fill(ids); !errors.Is(err, frazil.EFull) || ids[0] != 0 {
		t.Fatal(err, ids)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("MustNext does not panic")
		}
	}()
	generator.MustNext()
}

func TestFullTicksAreWaitedFor(t *testing.T) {
	generator := opened(t, "layout=41/20/2 worker=fixed:1 start=zero state=memory max_lead=0s max_wait=10s")
	ids, err := generator.Take(context.Background(), 40)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(ids); i++ {
		if ids[i] <= ids[i-1] {
			t.Fatalf("%d does not follow %d", ids[i], ids[i-1])
		}
	}
	if err := generator.Fill(ids); err != nil {
		t.Fatal(err)
	}
	sno := opened(t, "layout=sno partition=3 seq_min=0 seq_max=9 state=memory max_wait=10s")
	snos := make([]frazil.Sno, 55)
	if err := sno.FillSnos(7, snos); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(snos); i++ {
		if snos[i].Compare(snos[i-1]) <= 0 {
			t.Fatalf("%v does not follow %v", snos[i], snos[i-1])
		}
	}
	if _, err := sno.Next(); !errors.Is(err, frazil.EKind) {
		t.Fatal(err)
	}
}

// ---- types ----------------------------------------------------------------------------

var (
	_ sql.Scanner   = (*frazil.ID)(nil)
	_ driver.Valuer = frazil.ID(0)
	_ sql.Scanner   = (*frazil.Sno)(nil)
	_ driver.Valuer = frazil.Sno{}
)

func TestAnIDIsAString(t *testing.T) {
	type row struct {
		ID   frazil.ID
		Sno  frazil.Sno
		Keys map[frazil.ID]int
	}
	sno, err := frazil.ParseSno("brpk4q72xwf2m63l")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(row{9223372036854775807, sno, map[frazil.ID]int{5: 1}})
	same(t, string(b), `{"ID":"9223372036854775807","Sno":"brpk4q72xwf2m63l","Keys":{"5":1}}`, err)
	var back row
	err = json.Unmarshal(b, &back)
	same(t, back.ID, frazil.ID(9223372036854775807), err)
	same(t, back.Sno, sno, nil)
	same(t, json.Unmarshal([]byte(`{"ID":12}`), &back) == nil && back.ID == 12, true, nil)
	for _, wrong := range []string{`"12x"`, "-1", "1.5", "1e3", `"18446744073709551616"`} {
		if json.Unmarshal([]byte(wrong), &back.ID) == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}

func TestAnIDGoesThroughAColumn(t *testing.T) {
	value, err := frazil.ID(7).Value()
	same(t, value, driver.Value(int64(7)), err)
	if _, err := frazil.ID(math.MaxInt64 + 1).Value(); !errors.Is(err, frazil.ERange) || !strings.Contains(err.Error(), "text") {
		t.Fatal(err)
	}
	for _, column := range []interface{}{int64(12), uint64(12), "12", []byte("12")} {
		var id frazil.ID
		err := id.Scan(column)
		same(t, id, frazil.ID(12), err)
	}
	for _, column := range []interface{}{int64(-1), 1.5, nil, "x"} {
		if new(frazil.ID).Scan(column) == nil {
			t.Errorf("%v is read", column)
		}
	}
}

func TestAGeneratorCanBeLookedAt(t *testing.T) {
	generator := opened(t, "layout=twitter worker=fixed:33 state=memory")
	info, health := generator.Info(), generator.Health()
	same(t, fmt.Sprint(info.Worker, info.Capacity, info.State, health.State, health.Worker), "33 4096 memory serving 33", nil)
	same(t, fmt.Sprint(frazil.NeedsGrant, frazil.Stopped, frazil.HealthState(99), frazil.StateSlots), "needs_grant stopped unknown slots", nil)
	same(t, generator.Layout().Name(), "twitter", health.LastFailure)
	generator.MustNext()
	same(t, generator.Stats()["issued"], uint64(1), nil)
	next, err := generator.Keep()
	same(t, next < 0, true, err)
	if strings.Count(frazil.Version(), ".") != 2 || len(frazil.Presets()) < 10 {
		t.Fatal(frazil.Version())
	}
	if err := frazil.Check("worker=fixed:1 colour=red"); !errors.Is(err, frazil.ESpec) || !errors.Is(err, frazil.Usage) {
		t.Fatal(err)
	}
}

func TestASnoGeneratorGoesOnFromASnapshot(t *testing.T) {
	generator := opened(t, "layout=sno partition=A,10 state=memory")
	sno, err := generator.NextSno(7)
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := generator.Snapshot()
	same(t, snapshot.Partition, [2]byte{'A', 10}, err)
	generator.Close()
	again := opened(t, "state=memory", frazil.WithSnapshot(snapshot), frazil.WithoutEnvironment())
	next, err := again.NextSno(7)
	if err != nil || next.Compare(sno) <= 0 || next.Fields().Partition != sno.Fields().Partition {
		t.Fatal(next, err)
	}
}

// ---- costs ----------------------------------------------------------------------------

func BenchmarkNext(b *testing.B) {
	generator := opened(b, "layout=41/1/21 worker=fixed:1 state=memory")
	for i := 0; i < b.N; i++ {
		if _, err := generator.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFill10000(b *testing.B) {
	generator := opened(b, "layout=35/1/27 worker=fixed:1 state=memory tick=100ms")
	ids := make([]frazil.ID, 10000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if err := generator.Fill(ids); err != nil {
			b.Fatal(err)
		}
	}
}

// The zero value of an exported type, and a generator that is closed, give an error or nothing: none ends the process.
func TestNothingIsDoneWithWhatIsNone(t *testing.T) {
	var none frazil.Layout
	if none.Name() != "" || none.String() != "no layout" || none.IsSno() || none.Info() != (frazil.LayoutInfo{}) ||
		none.FirstID(1) != 0 || none.DatacenterOf(9) != 0 || none.WorkerInDatacenter(9) != 0 {
		t.Fatal(none)
	}
	preset, err := frazil.ParseLayout("twitter")
	if err != nil || none.Equal(preset) || preset.Equal(none) || !none.Equal(frazil.Layout{}) {
		t.Fatal(err)
	}
	_, composed := none.Compose(frazil.Fields{})
	_, decomposed := none.Decompose(1)
	_, _, ranged := none.Range(1, 2)
	_, overlap := none.Overlap(preset, 1)
	_, overlapped := preset.Overlap(none, 1)
	for i, err := range []error{composed, decomposed, ranged, overlap, overlapped} {
		if !errors.Is(err, frazil.EInval) {
			t.Fatal(i, err)
		}
	}
	closed := opened(t, "worker=fixed:7 state=memory")
	closed.Close()
	if !closed.Layout().Equal(none) || closed.Layout().Info() != (frazil.LayoutInfo{}) {
		t.Fatal(closed.Layout())
	}
	for i, err := range callsOf(closed) {
		if !errors.Is(err, frazil.EStopped) || !strings.Contains(err.Error(), "open another one") {
			t.Fatal(i, err)
		}
	}
	for _, g := range []*frazil.Generator{nil, new(frazil.Generator)} {
		for i, err := range append(callsOf(g), g.Close()) {
			if !errors.Is(err, frazil.EInval) || !strings.Contains(err.Error(), "Open") {
				t.Fatal(i, err)
			}
		}
		g.Stop()
		if g.Available() != 0 || g.Stats() != nil || g.Info() != (frazil.Info{}) || g.Health().State != frazil.Stopped {
			t.Fatal(g)
		}
	}
	if _, err := frazil.Open("worker=fixed:7 state=memory", frazil.WithClock(new(frazil.ManualClock))); !errors.Is(err, frazil.EInval) {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a clock that is none is set")
		}
	}()
	new(frazil.ManualClock).Set(1)
}

// A negative duration, as an unsigned number, would be a jump of centuries.
func TestAClockDoesNotAdvanceBackwards(t *testing.T) {
	clock, err := frazil.NewManualClock(1780272000000)
	if err != nil {
		t.Fatal(err)
	}
	generator := opened(t, "worker=fixed:7 state=memory", frazil.WithClock(clock))
	defer func() {
		if said, isText := recover().(string); !isText || !strings.Contains(said, "-1s") {
			t.Fatal(said)
		}
		if fields, err := generator.Layout().Decompose(generator.MustNext()); err != nil || fields.UnixMs != 1780272000000 {
			t.Fatal(fields, err)
		}
	}()
	clock.Advance(-time.Second)
}

// callsOf are the errors of all calls that can fail.
func callsOf(g *frazil.Generator) []error {
	var errs []error
	note := func(_ interface{}, err error) { errs = append(errs, err) }
	one := make([]frazil.ID, 1)
	note(g.Next())
	note(g.TryNext())
	note(nil, g.Fill(one))
	note(g.Take(context.Background(), 1))
	note(g.NextAt(time.Now()))
	note(g.NextSno(0))
	note(g.TryNextSno(0))
	note(nil, g.FillSnos(0, make([]frazil.Sno, 1)))
	note(g.NextSnoAt(0, time.Now()))
	note(g.Snapshot())
	return errs
}

// A clock of the program's keeps nothing unless the program says so, and what it says can be seen.
func TestAClockOfOnesOwnNeedsAState(t *testing.T) {
	clock, err := frazil.NewManualClock(1780272000000)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	places := " run_dir=" + dir + "/run state_dir=" + dir + "/state host_dir=" + dir + "/host"
	if _, err := frazil.Open("worker=fixed:7"+places, frazil.WithClock(clock)); !errors.Is(err, frazil.ESpec) ||
		!strings.Contains(err.Error(), "state=memory") {
		t.Fatal(err)
	}
	if state := opened(t, "worker=fixed:7 state=memory", frazil.WithClock(clock)).Info().State; state != frazil.StateMemory {
		t.Fatal(state)
	}
	ids := seen{}
	for i := int64(0); i < 3; i++ {
		clock.Set(1780272000000 - i*1000)
		generator := opened(t, "worker=fixed:7 max_wait=1h state=file"+places, frazil.WithClock(clock))
		if state := generator.Info().State; state != frazil.StateFile {
			t.Fatal(state)
		}
		ids.add(t, take(generator, 1000)...)
		generator.Close()
	}
	if opened(t, "worker=fixed:7"+places, nil, frazil.WithClock(nil)).Info().State != frazil.StateFile {
		t.Fatal("nil is a clock")
	}
}

// A health check that takes a host out of service while its coordinator is silent would take out all of them.
func TestAGeneratorWhoseGrantIsDueStillServes(t *testing.T) {
	clock, err := frazil.NewManualClock(1780272000000)
	if err != nil {
		t.Fatal(err)
	}
	generator := opened(t, in(t, "worker=fixed:7 state=file keeper=hook"), frazil.WithClock(clock))
	for i := 0; i < 10000 && generator.Health().State == frazil.Serving; i++ {
		if !generator.Health().Serving() {
			t.Fatal(generator.Health())
		}
		clock.Advance(100 * time.Millisecond)
	}
	if health := generator.Health(); health.State != frazil.NeedsGrant || !health.Serving() {
		t.Fatal(health)
	}
	generator.MustNext()
	generator.Stop()
	if health := generator.Health(); health.Serving() {
		t.Fatal(health)
	}
}

// The wait for the rest of a batch lasts as long as the rest takes: this one is shorter than any wait without a time would be.
// It bounds the wait for each tick, and a batch of forty ticks is longer.
func TestTheRestOfABatchComesWithTheNextTick(t *testing.T) {
	generator := opened(t, "layout=41/10/4 worker=fixed:7 state=memory max_wait=15ms")
	ids := seen{}
	for i := 0; i < 200; i++ {
		ids.add(t, generator.MustNext())
	}
	for i := 0; i < 5; i++ {
		batch := make([]frazil.ID, 640)
		if err := generator.Fill(batch); err != nil {
			t.Fatal(err)
		}
		ids.add(t, batch...)
	}
}

// A snapshot knows nothing of what its generator takes after it.
func TestASnapshotIsOpenedWhenItsGeneratorIsClosed(t *testing.T) {
	first := opened(t, "layout=sno worker=fixed:77 state=memory")
	if _, err := first.NextSno(1); err != nil {
		t.Fatal(err)
	}
	snapshot, err := first.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := frazil.Open("", frazil.WithSnapshot(snapshot)); !errors.Is(err, frazil.EWorker) {
		t.Fatal(err)
	}
	first.Close()
	second := opened(t, "", frazil.WithSnapshot(snapshot))
	if _, err := frazil.Open("layout=sno worker=fixed:77 state=memory"); !errors.Is(err, frazil.EWorker) {
		t.Fatal(err)
	}
	if _, err := second.NextSno(1); err != nil {
		t.Fatal(err)
	}
}

// A user of this language knows no function of C.
func TestNoSentenceNamesAFunctionOfC(t *testing.T) {
	numbers := opened(t, "worker=fixed:7 state=memory")
	snos := opened(t, "layout=sno worker=fixed:7 state=memory")
	_, err := numbers.NextSno(1)
	_, at := numbers.NextSnoAt(1, time.Now())
	_, next := snos.Next()
	for _, err := range []error{err, at, next} {
		if !errors.Is(err, frazil.EKind) || strings.Contains(err.Error(), "frazil_") {
			t.Fatal(err)
		}
	}
}
