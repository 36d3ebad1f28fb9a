#!/bin/sh
# `npm start`, `npm test` and the command-line programs in a clone: launch.mjs prepares on the machine's own Node (20 or newer),
# then this process becomes the program on the chosen Node. No launcher stays in memory, and signals and exit codes are the
# program's own. A signal before that ends this process, and launch.mjs notices. Only what a shell has itself is used: PATH may hold
# nothing but Node and npm. After "--" Node does not read the arguments: otherwise it would use a program's --env-file itself.
program=$(exec "${npm_node_execpath:-node}" -- "${0%launch.sh}launch.mjs" "$@") || exit
eval "$program"
