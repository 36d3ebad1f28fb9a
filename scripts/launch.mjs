// Prepares what `npm start`, `npm test` and the command-line programs of a clone need: dependencies, Node, builds. Plain JavaScript
// without dependencies: it runs on the machine's own Node (20 or newer) before anything is installed. launch.sh calls it, and then
// runs the shell command that was printed to stdout: the program itself.
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { BuildError, ensureBuilt } from './launch/build.mjs'
import { ensureInstalled, ensurePnpm, InstallError } from './launch/install.mjs'
import { NodeUnusable, pickNode } from './launch/node.mjs'
import { toExec, toShellCommand } from './launch/plan.mjs'
import { PROGRAMS } from './launch/programs.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Commands that need the tools of tests, lint and builds. */
const DEVELOPMENT = new Set(['test', 'setup'])

/** For those who change dependencies: nothing is installed before it runs. */
const PNPM = 'pnpm'

// Everything else goes to stderr.
const print = (line) => process.stderr.write(`${line}\n`)

async function main([command, ...args]) {
  if (Number.parseInt(process.versions.node, 10) < 20) {
    print(`Vedette needs Node 20 or newer to set itself up; this is ${process.version}. Get one from https://nodejs.org`)
    return 1
  }
  if (command !== PNPM && !Object.hasOwn(PROGRAMS, command ?? '')) {
    print(`usage: sh scripts/launch.sh <${[...Object.keys(PROGRAMS), PNPM].join('|')}> [arguments]`)
    return 2
  }
  try {
    if (command === PNPM) {
      process.stdout.write(toExec([await ensurePnpm(root), ...args]))
      return 0
    }
    await ensureInstalled(root, DEVELOPMENT.has(command) ? 'all' : 'run')
    const node = pickNode(root)
    if (node.note) print(node.note)
    const program = PROGRAMS[command](args)
    await ensureBuilt(root, node.path, program.builds ?? [], print)
    if (program.argv) process.stdout.write(toShellCommand(root, node.path, program))
    if (command === 'setup') print(`set up: dependencies installed, Node ${node.version}`)
    return 0
  } catch (error) {
    if (![InstallError, NodeUnusable, BuildError].some((known) => error instanceof known)) throw error
    print(error.message)
    return error.exitCode ?? 1
  }
}

// launch.sh ends at a signal that may have reached it alone. During an installation SIGTERM has a handler.
const shell = process.ppid
setInterval(() => process.ppid === shell || process.kill(process.pid, 'SIGTERM'), 250).unref()

process.exitCode = await main(process.argv.slice(2))
