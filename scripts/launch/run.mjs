// Runs one program of the workspace and behaves like that program to its own parent process.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import process from 'node:process'

// npm forwards signals that the terminal or the process group has already delivered: two within 1 s count as one.
const SAME_SIGNAL_MS = 1000

/**
 * Starts `argv` on `node` and resolves with its exit code, 128 + n when signal n ended it.
 *
 * Stopping. On a terminal, Ctrl-C and hang-up reach the child from the terminal itself (same process group), so they are
 * not forwarded; SIGTERM always is. Without a terminal all three are forwarded, once.
 *
 * `stopsWithLauncher` (only `start`) gives the child an IPC channel. Its `disconnect` event is the one sign of a launcher
 * that was SIGKILLed. A repeated `disconnect` is harmless: the backend stops gracefully, while a second signal means "at
 * once". Without a terminal such a child gets a process group of its own, so that a signal to the whole group reaches it
 * once. The other programs end by themselves or by their signals; they stay in the group, where a SIGKILL of the group
 * reaches them.
 */
export function runProgram(root, node, { argv, environment = {}, stopsWithLauncher = false }) {
  const onTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
  const file = argv.findIndex((part) => !part.startsWith('-'))
  // Node's own flags, then the program's path. After "--" Node does not read the arguments: otherwise it would use a program's
  // --env-file itself.
  const [program = '', ...args] = argv.slice(file)
  // Before the child exists: it may be running and receive a signal before this process runs again.
  const lastAt = new Map()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      const before = lastAt.get(signal) ?? -Infinity
      lastAt.set(signal, performance.now())
      if (performance.now() - before < SAME_SIGNAL_MS) return
      if (!onTerminal || signal === 'SIGTERM') child.kill(signal)
      // A SIGINT on a terminal may also be a `kill -INT` to the launcher alone, which the child has not seen.
      else if (child.connected) child.disconnect()
    })
  }

  const child = spawn(node, [...argv.slice(0, file), '--', resolve(root, program), ...args], {
    stdio: stopsWithLauncher ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    detached: stopsWithLauncher && !onTerminal,
    // Child processes of the program (rolldown, the agent) must find the same Node.
    env: {
      // Node runs the TypeScript sources directly; the cache saves compiling them at each start.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
      ...process.env,
      ...environment,
      PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter),
    },
  })

  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code, signal) => done(code ?? 128 + constants.signals[signal]))
  })
}
