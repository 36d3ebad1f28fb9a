import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Child {
  process: ChildProcess
  pid: number
  /** What stood behind `ready ` in its first such line. */
  ready: string
  /** Seconds from its start to that line. */
  readySeconds: number
  /** Asks it to stop and waits until it has ended. */
  stop(): Promise<void>
}

export interface ChildOptions {
  args: readonly string[]
  environment?: NodeJS.ProcessEnv
  cwd?: string
  command?: string
  /** By default the signal that ends every program of ours in order. */
  stopBy?: NodeJS.Signals
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Starts a program on this Node and waits until it prints `ready …`. Throws with what it said when it ends before. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { args, environment = process.env, cwd = ROOT, command = process.execPath, stopBy = 'SIGTERM' } = options
  const startedAt = performance.now()
  const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const said: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => {
    said.push(String(chunk))
    if (said.length > 100) said.shift()
  })
  const ready = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('ready ')) resolve(line.slice(6))
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended (${code}) before it was ready: ${said.join('')}`)))
  })
  const stop = async () => {
    child.kill(stopBy)
    await ended
  }
  return { process: child, pid: child.pid as number, ready, readySeconds: (performance.now() - startedAt) / 1_000, stop }
}
