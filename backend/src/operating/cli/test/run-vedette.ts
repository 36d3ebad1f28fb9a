import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { bareEnvironment } from '../../../../../scripts/test-tools.ts'

const MAIN = join(import.meta.dirname, '../../../main.ts')

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
  const child = spawn(process.execPath, [MAIN, ...args], { env, cwd: '/', stdio: 'pipe' })
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
