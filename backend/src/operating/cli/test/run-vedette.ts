import { spawn } from 'node:child_process'
import { bareEnvironment, VEDETTE } from '../../../../../scripts/test-tools.ts'
import { runCommand } from '../index.ts'

export interface Run {
  code: number | null
  stdout: string
  stderr: string
  /** The one JSON document on standard output; undefined when there is none. */
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of every shape
  json: any
}

/** Runs the program itself, with nothing of our environment but PATH, HOME and Node's cache of compiled code, and waits for its end. */
export function runVedette(args: readonly string[], environment: Record<string, string> = {}, input = ''): Promise<Run> {
  const env = { ...bareEnvironment(), HOME: '/nowhere', ...environment }
  const child = spawn(process.execPath, [VEDETTE, ...args], { env, cwd: '/', stdio: 'pipe' })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => void (said[name] += chunk))
  // A command that reads no input may be gone before it is written.
  child.stdin.on('error', () => undefined).end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...said, json: parse(said.stdout) }))
  })
}

/** Runs a command in this process: in a tenth of the time. Not for services, nor for an embedded database, whose owner it would become. */
export async function callVedette(args: readonly string[], environment: Record<string, string> = {}, input = ''): Promise<Run> {
  const said = { stdout: '', stderr: '' }
  const terminal = {
    environment: { ...bareEnvironment(), HOME: '/nowhere', ...environment },
    readInput: () => Promise.resolve(input),
    say: (line: string) => Promise.resolve(void (said.stdout += `${line}\n`)),
    complain: (line: string) => void (said.stderr += `${line}\n`),
    show: undefined,
  }
  const code = await runCommand(args, terminal, () => Promise.reject(new Error('a service needs a process of its own')))
  return { code, ...said, json: parse(said.stdout) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
