import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { vi } from 'vitest'
import { bareEnvironment, VEDETTE } from '../../../scripts/test-tools.ts'

export const REPOSITORY = join(import.meta.dirname, '../../..')
export const LAUNCHER = join(REPOSITORY, 'scripts/launch.sh')

/** What is promised of a stop. */
export const STOP_MS = 10_000
const START_MS = 60_000

export const OWNER = { email: 'owner@example.com', password: 'a long and rare passphrase' }
export const ADMIN = { VEDETTE_ADMIN_EMAIL: OWNER.email, VEDETTE_ADMIN_PASSWORD: OWNER.password }

/** How a process ended: its code, or the signal; and everything it said. */
export interface End {
  code: number | string | null
  output: string
}

export interface Program {
  pid: number
  /** Everything said until now, on both streams. */
  output(): string
  ended: Promise<End>
}

export interface RunningVedette extends Program {
  /** Without the set-up code. */
  url: string
  code: string | undefined
  dataDir: string
  /** From the spawn to the line that says so. */
  readyMs: number
  /** Asks for the end and waits for it. */
  stop(signal?: NodeJS.Signals): Promise<End & { ms: number }>
}

export interface StartOptions {
  dataDir: string
  environment?: Record<string, string>
  /** `scripts/launch.sh start`, as `npm start` does; else `main.ts` itself. */
  byLauncher?: boolean
  command?: 'start' | 'serve'
}

/** Folders and processes of one test file; `cleanUp` leaves nothing behind, whatever failed. */
export function makeWorkbench() {
  // A machine that is busy with other things is several times slower; a start alone may then take ten seconds.
  vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })
  const folders: string[] = []
  const children: ChildProcess[] = []

  /** A folder that every user may pass: Postgres runs as another one when root starts it. */
  function makeFolder(): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'vdt-e2e-')))
    chmodSync(folder, 0o755)
    folders.push(folder)
    return folder
  }

  /** Tests leave the gateway and the resolvers of this machine alone. */
  const NO_CONTROL = { VEDETTE_CONTROL_TARGETS: 'none' }

  /** Starts a program in a process group of its own, with nothing of our environment but PATH and Node's cache of compiled code. */
  function run(argv: readonly string[], environment: NodeJS.ProcessEnv = {}, ids?: { uid: number; gid: number }): Program {
    const [file = '', ...args] = argv
    const env = { ...bareEnvironment(), npm_node_execpath: process.execPath, ...NO_CONTROL, ...environment }
    const child = spawn(file, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...ids })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => void (output += chunk))
    const ended = new Promise<End>((resolve) => {
      child.once('error', (error) => resolve({ code: error.message, output }))
      child.once('close', (code, signal) => resolve({ code: code ?? signal, output }))
    })
    return { pid: child.pid ?? 0, output: () => output, ended }
  }

  function runVedette({ dataDir, environment = {}, byLauncher = false, command = 'start' }: StartOptions): Program {
    const program = byLauncher ? ['sh', LAUNCHER, command] : [process.execPath, VEDETTE, command]
    return run(program, { VEDETTE_PORT: '0', VEDETTE_DATA_DIR: dataDir, ...environment })
  }

  /** A Vedette that is ready. Throws with what it said when it is not. */
  async function start(options: StartOptions): Promise<RunningVedette> {
    const beganAt = performance.now()
    const program = runVedette(options)
    const { url, code } = await readiness(program)
    return {
      ...program,
      url,
      code,
      dataDir: options.dataDir,
      readyMs: performance.now() - beganAt,
      stop: async (signal = 'SIGINT') => {
        const stopAtMs = performance.now()
        process.kill(program.pid, signal)
        const end = await program.ended
        return { ...end, ms: performance.now() - stopAtMs }
      },
    }
  }

  async function cleanUp(): Promise<void> {
    const running = children.filter(({ exitCode, signalCode, pid }) => exitCode === null && signalCode === null && pid)
    for (const child of running) child.kill('SIGTERM')
    await Promise.race([Promise.all(running.map((child) => new Promise((done) => child.once('close', done)))), delay(STOP_MS)])
    for (const pid of folders.flatMap(processesOf)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        // It has ended since it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
    for (const child of running) child.kill('SIGKILL')
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }

  return { makeFolder, run, runVedette, start, cleanUp }
}

export type Workbench = ReturnType<typeof makeWorkbench>

/** Waits for the line that says where it listens. */
export async function readiness(program: Program, withinMs = START_MS): Promise<{ url: string; code: string | undefined }> {
  const ended = new AbortController()
  void program.ended.then(() => ended.abort())
  const ready = /^ready (\S+?)(?:\/\?code=(\S+))?$/m
  const found = await until(
    () => ready.exec(program.output()) ?? (ended.signal.aborted ? ('over' as const) : undefined),
    withinMs,
    10,
  ).catch(() => 'over' as const)
  if (found === 'over') throw new Error(`it did not get ready; it said:\n${program.output()}`)
  return { url: found[1] as string, code: found[2] }
}

/** Calls `read` until it returns something other than undefined and false. */
export async function until<T>(
  read: () => T | Promise<T>,
  withinMs: number,
  everyMs = 50,
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await read()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    if (performance.now() > deadline) throw new Error(`did not come true within ${withinMs} ms: ${String(read)}`)
    await delay(everyMs)
  }
}

/** Ids of the living processes that were given this folder, or work in it. Children of Postgres name it nowhere, but stand in it. */
export function processesOf(folder: string): number[] {
  const isIt = (pid: string): boolean => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return line !== '' && (line.includes(`${folder}/`) || readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`))
    } catch {
      return false // gone between two looks
    }
  }
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  return pids.filter(isIt).map(Number)
}

/** The ids of the parts of a running Vedette, as they write them down. */
export const pidOf = {
  backend: (dataDir: string): number => readJson(join(dataDir, 'postgres.owner'))['pid'] as number,
  /** 0 in the moment in which the next one writes it. */
  postgres: (dataDir: string): number => {
    try {
      return Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10) || 0
    } catch {
      return 0
    }
  },
  agent: (dataDir: string): number => agentStatus(join(dataDir, 'agent'))?.pid ?? 0,
}

/** The status that the agent writes to its state folder; undefined before the first one. */
export function agentStatus(folder: string): { pid: number; state: string; accepted_samples: number } | undefined {
  try {
    return readJson(join(folder, 'status.json')) as ReturnType<typeof agentStatus>
  } catch {
    return undefined
  }
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>

/** Processor time of a process and its threads since its start, seconds; 0 where there is no /proc. */
export function cpuSecondsOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended too; its parent has only not asked yet.
    return process.platform !== 'linux' ? process.kill(pid, 0) : !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line no-explicit-any -- tests look into answers of every shape
  body: any
}

/** One request to the API. */
export async function call(url: string, method: string, path: string, as: object = {}, body?: unknown): Promise<Answer> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, { method, headers: { ...type, ...as } as Record<string, string>, ...content })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

/** Signs the owner in. */
export async function signIn(url: string): Promise<{ authorization: string }> {
  const { status, body } = await call(url, 'POST', '/v1/auth/login', {}, OWNER)
  if (status !== 200) throw new Error(`the login answered ${status}: ${JSON.stringify(body)}`)
  return { authorization: `Bearer ${body.token}` }
}

/** The one server of the organization once it has measured rates, which takes two readings. */
export async function firstSample(
  url: string,
  as: object,
  withinMs = 15_000,
): Promise<{ id: string; status: string; metrics: Answer['body'] }> {
  return until(
    async () => {
      const [server] = (await call(url, 'GET', '/v1/servers', as)).body.servers
      if (!server) return undefined
      const { body } = await call(url, 'GET', `/v1/servers/${server.id}/metrics?period=1h`, as)
      if (!body.metrics.cpu) return undefined
      // Asked last: it was offline before its first push.
      const { status } = (await call(url, 'GET', `/v1/servers/${server.id}`, as)).body
      return { id: server.id, status, metrics: body.metrics }
    },
    withinMs,
    100,
  )
}

/** Logs a figure of this run. */
export function report(what: string, ms: number): void {
  console.info(`figure: ${what} ${(ms / 1000).toFixed(2)} s`)
}
