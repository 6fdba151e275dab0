// SPDX-License-Identifier: MIT

// Ids of frazild in blocks, with go-redis: FRAZILD_URL=redis://127.0.0.1:6380 go run .
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Ids gives the ids of one generator to all goroutines: a request fetches Size of them, for Life at most.
type Ids struct {
	Client    *redis.Client
	Generator string
	Size      int
	Life      time.Duration

	mu    sync.Mutex
	ids   []string
	until time.Time
}

// Next returns an id. An error is the client's; Next can be called again.
func (s *Ids) Next(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ids) == 0 || time.Now().After(s.until) {
		ids, err := s.Client.Do(ctx, "NEXT", s.Generator, s.Size).StringSlice()
		if err != nil {
			return 0, err
		}
		s.ids, s.until = ids, time.Now().Add(s.Life)
	}
	id := s.ids[0]
	s.ids = s.ids[1:]
	return strconv.ParseInt(id, 10, 64)
}

func main() {
	options, err := redis.ParseURL(os.Getenv("FRAZILD_URL"))
	if err != nil {
		log.Fatal(err)
	}
	ids := Ids{Client: redis.NewClient(options), Generator: "main", Size: 1000, Life: time.Second}
	for range 2500 {
		id, err := ids.Next(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id)
	}
}
