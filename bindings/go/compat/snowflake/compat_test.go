// SPDX-License-Identifier: MIT

package snowflake_test

// Goal of this test: the names of bwmarrin/snowflake answer as its documentation has them, and nodes repeat nothing.

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/frazil/frazil-go/compat/snowflake"
)

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "frazil-go")
	if err != nil {
		panic(err)
	}
	os.Setenv("FRAZIL_RUN_DIR", folder+"/run")
	os.Setenv("FRAZIL_STATE_DIR", folder+"/state")
	os.Setenv("FRAZIL_HOST_DIR", folder+"/host")
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

func TestNodesOfOneNumberShareASequence(t *testing.T) {
	seen := map[snowflake.ID]bool{}
	before := time.Now().UnixMilli()
	for i := 0; i < 70000; i++ {
		node, err := snowflake.NewNode(5)
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			id := node.Generate()
			if seen[id] || id.Node() != 5 || id.Time() < before {
				t.Fatal(id)
			}
			seen[id] = true
		}
	}
}

func TestTextForms(t *testing.T) {
	for _, id := range []snowflake.ID{0, 1, 31, 32, 57, 58, 1541815603606036480, 1<<63 - 1} {
		for name, read := range map[string]func() (snowflake.ID, error){
			"String":   func() (snowflake.ID, error) { return snowflake.ParseString(id.String()) },
			"Base2":    func() (snowflake.ID, error) { return snowflake.ParseBase2(id.Base2()) },
			"Base32":   func() (snowflake.ID, error) { return snowflake.ParseBase32([]byte(id.Base32())) },
			"Base36":   func() (snowflake.ID, error) { return snowflake.ParseBase36(id.Base36()) },
			"Base58":   func() (snowflake.ID, error) { return snowflake.ParseBase58([]byte(id.Base58())) },
			"Base64":   func() (snowflake.ID, error) { return snowflake.ParseBase64(id.Base64()) },
			"Bytes":    func() (snowflake.ID, error) { return snowflake.ParseBytes(id.Bytes()) },
			"IntBytes": func() (snowflake.ID, error) { return snowflake.ParseIntBytes(id.IntBytes()), nil },
			"Int64":    func() (snowflake.ID, error) { return snowflake.ParseInt64(id.Int64()), nil },
			"JSON": func() (back snowflake.ID, err error) {
				b, err := json.Marshal(id)
				if err == nil {
					err = json.Unmarshal(b, &back)
				}
				return back, err
			},
		} {
			if back, err := read(); back != id || err != nil {
				t.Errorf("%s of %d: %d, %v", name, id, back, err)
			}
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, node := range []int64{-1, 1024} {
		if _, err := snowflake.NewNode(node); err == nil || !strings.Contains(err.Error(), "0 and 1023") {
			t.Errorf("%d: %v", node, err)
		}
	}
	for _, text := range []string{"l", "0", "!", "ybndrfg8ejkmcpq"} {
		if id, err := snowflake.ParseBase32([]byte(text)); err != snowflake.ErrInvalidBase32 || id != -1 {
			t.Errorf("%s: %d, %v", text, id, err)
		}
	}
	for _, text := range []string{"0", "I", "!", "ZZZZZZZZZZZZ"} {
		if id, err := snowflake.ParseBase58([]byte(text)); err != snowflake.ErrInvalidBase58 || id != -1 {
			t.Errorf("%s: %d, %v", text, id, err)
		}
	}
	var id snowflake.ID
	if _, ok := id.UnmarshalJSON([]byte("12")).(snowflake.JSONSyntaxError); !ok {
		t.Error("a JSON number is read")
	}
}

func TestANodeIsClosed(t *testing.T) {
	node, err := snowflake.NewNode(6)
	if err != nil {
		t.Fatal(err)
	}
	other, err := snowflake.NewNode(6)
	if err != nil {
		t.Fatal(err)
	}
	first := node.Generate()
	if err := node.Close(); err != nil || node.Close() != nil {
		t.Fatal(err)
	}
	if other.Generate() <= first {
		t.Fatal("the other node of the number does not go on")
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a closed node makes ids")
		}
	}()
	node.Generate()
}

func TestANodeThatNewNodeHasNotMadeSaysSo(t *testing.T) {
	defer func() {
		if why := recover(); why != "snowflake: the node was not made by NewNode" {
			t.Error(why)
		}
	}()
	new(snowflake.Node).Generate()
}
