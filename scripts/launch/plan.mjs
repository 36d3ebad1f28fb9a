// The command by which launch.sh becomes a program.
import { delimiter, dirname, join, resolve } from 'node:path'
import process from 'node:process'

/** @param {{ argv: string[], environment?: Record<string, string> }} program */
export function toShellCommand(root, node, { argv, environment = {} }) {
  const file = argv.findIndex((part) => !part.startsWith('-'))
  // Node's own flags, then the program's path. After "--" Node does not read the arguments: otherwise it would use a program's
  // --env-file itself.
  const [program = '', ...args] = argv.slice(file)
  const variables = {
    // Node runs the TypeScript sources directly; the cache saves compiling them at each start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compile'),
    ...environment,
    // Child processes of the program (rolldown, the agent) must find the same Node.
    PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter),
  }
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`)
  const words = [node, ...argv.slice(0, file), '--', resolve(root, program), ...args]
  return `export ${assignments.join(' ')}; ${toExec(words)}`
}

/** The shell becomes this program. */
export const toExec = (words) => `exec ${words.map(quote).join(' ')}`

const quote = (word) => `'${word.replaceAll("'", `'\\''`)}'`
