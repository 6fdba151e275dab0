// SPDX-License-Identifier: MIT

// go-redis: PORT TOKEN
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/redis/go-redis/v9"
)

func main() {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], Password: os.Args[2]})
	defer client.Close()
	show := func(id any, err error) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id)
	}
	for range 20 {
		show(client.Do(ctx, "NEXT", "main").Result())
	}
	ids, err := client.Do(ctx, "NEXT", "main", 50).StringSlice()
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range ids {
		fmt.Println(id)
	}
	for range 20 {
		show(client.Incr(ctx, "orders:id").Result())
	}
	for _, pipeline := range []redis.Pipeliner{client.Pipeline(), client.TxPipeline()} {
		for range 10 {
			pipeline.Do(ctx, "NEXT", "main")
		}
		replies, err := pipeline.Exec(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, reply := range replies {
			show(reply.(*redis.Cmd).Result())
		}
	}
}
