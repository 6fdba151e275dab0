// SPDX-License-Identifier: MIT

package fastpath

const ours = x86TSC

// counter reads the counter that frazil reads.
func counter() uint64
