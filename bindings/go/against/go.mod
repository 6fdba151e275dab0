module against

go 1.19

require (
	github.com/bwmarrin/snowflake v0.3.0
	github.com/frazil/frazil-go v0.0.0
	github.com/muyo/sno v1.2.1
	github.com/rs/xid v1.5.0
	github.com/sony/sonyflake v1.2.0
)

replace github.com/frazil/frazil-go => ../
