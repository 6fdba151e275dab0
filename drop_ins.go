package main

import (
	"github.com/frazil/frazil-go/compat/sno"
	"github.com/frazil/frazil-go/compat/snowflake"
)

func init() {
	if node, err := snowflake.NewNode(7); err != nil || node.Generate() >= node.Generate() || len(sno.New(1).String()) != 16 {
		panic(err)
	}
}
