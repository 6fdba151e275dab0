module github.com/frazil/frazil-go

go 1.19
