// SPDX-License-Identifier: MIT

package fastpath

const ours = armCounter

// counter reads the counter that frazil reads.
func counter() uint64
