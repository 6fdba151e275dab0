# SPDX-License-Identifier: MIT
# Completion of frazil for bash.
# shellcheck disable=SC1090 # the command says it
source <(frazil completion bash)
