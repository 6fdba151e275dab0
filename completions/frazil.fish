# SPDX-License-Identifier: MIT
# Completion of frazil for fish.
frazil completion fish | source
