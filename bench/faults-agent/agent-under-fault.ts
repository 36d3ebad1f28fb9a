import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SpoolFolder } from '../../agent/src/spool/folder.ts'
import { Segment } from '../../agent/src/spool/segment.ts'
import type { AgentStatus } from '../../agent/src/process/status.ts'
import type { Message, Order, Report } from './driven-agent.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { bareEnvironment } from '../../scripts/test-tools.ts'

const PROGRAM = new URL('./driven-agent.ts', import.meta.url)

export interface Host {
  serverId: string
  token: string
}

export interface AgentOptions {
  /** Seconds between samples and between pushes. */
  sample: number
  push: number
  /** Of the backend, when not by its address; with the `address:port` of the name server that knows it. */
  name?: string
  nameServer?: string
}

/** One agent with its folder, its way to the backend and the journal of all that it has taken, over as many processes as it takes. */
export class AgentUnderFault {
  readonly folder = mkdtempSync(join(tmpdir(), 'vedette-faults-'))
  readonly stateDir = join(this.folder, 'state')
  readonly proxy: FaultProxy
  readonly host: Host
  output = ''
  /** Called when it has taken a sample. */
  onKept: (() => void) | undefined
  /** Where the proxy listens. */
  port = 0
  readonly #config = join(this.folder, 'agent.yaml')
  readonly #journal = join(this.folder, 'journal')
  #child: ChildProcess | undefined
  #onPresent: (() => void) | undefined
  readonly #options: AgentOptions

  constructor(proxy: FaultProxy, host: Host, options: AgentOptions) {
    this.proxy = proxy
    this.host = host
    this.#options = options
    mkdirSync(this.stateDir)
    writeFileSync(this.#journal, '')
  }

  async prepare(): Promise<void> {
    this.port = await this.proxy.listen()
    this.writeConfig(this.host.token)
  }

  writeConfig(token: string): void {
    const { sample, push, name = '127.0.0.1' } = this.#options
    const lines = [`url: http://${name}:${this.port}`, `token: ${token}`, 'allow_http: true']
    lines.push(`sample_interval_seconds: ${sample}`, `push_interval_seconds: ${push}`, '')
    writeFileSync(this.#config, lines.join('\n'), { mode: 0o600 })
  }

  start(options: Partial<Order> = {}): void {
    const child = fork(PROGRAM, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [], env: bareEnvironment() })
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (this.output += String(text)))
    child.on('message', (report: Report) => ('kept' in report ? this.onKept?.() : this.#onPresent?.()))
    child.on('error', () => undefined)
    const own = { config: this.#config, stateDir: this.stateDir, journal: this.#journal }
    const clock = { offsetMs: 0, speed: 1 }
    const order: Order = { ...own, firstNumber: this.journal().length + 1, clock, ...options }
    if (this.#options.nameServer !== undefined) order.nameServer = this.#options.nameServer
    child.send({ order } satisfies Message)
    this.#child = child
  }

  jump(jumpMs: number): void {
    this.#child?.send({ jumpMs } satisfies Message)
  }

  async kill(): Promise<void> {
    await this.#end(() => this.#child?.kill('SIGKILL'))
  }

  async stop(): Promise<void> {
    await this.#end(() => this.#child?.send({ stop: true } satisfies Message))
  }

  async close(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.kill()
    await this.proxy.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Started on a clock that runs faster: that has come up with the real one. */
  async present(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onPresent = resolve
    const ended = once(this.#child as ChildProcess, 'exit').then(() => this.#assertAlive())
    await Promise.race([promise, ended])
  }

  /** Of each sample, by its number from 1 on, whether the agent had it before it was killed. */
  journal(): { number: number; isKept: boolean }[] {
    const lines = readFileSync(this.#journal, 'utf8').split('\n')
    const kept = new Set(lines.filter((line) => line.startsWith('kept ')))
    const taken = lines.filter((line) => line.startsWith('taken ')).map((line) => Number(line.slice(6)))
    return taken.map((number) => ({ number, isKept: kept.has(`kept ${number}`) }))
  }

  /** Numbers of the samples that the spool still has: the next start would send them. Only while the agent does not run. */
  spooled(): Set<number> {
    const folder = new SpoolFolder(join(this.stateDir, 'spool'))
    const samples = folder.list().flatMap((number) => {
      const { storage, bytes } = folder.open(number)
      const segment = new Segment(number, storage)
      segment.load(bytes)
      return [...segment.pending.flatMap((batch) => segment.readBatch(batch)?.samples ?? []), ...segment.takeUnbatched()]
    })
    return new Set(samples.map(({ values }) => values.memory?.used_bytes ?? Number.NaN))
  }

  /** Samples that the backend rejected for good, over all processes. */
  rejected(): number {
    const logged = this.output.matchAll(/"the backend rejected samples: they are lost","samples":(\d+)/g)
    return logged.reduce((sum, [, samples]) => sum + Number(samples), 0)
  }

  status(): AgentStatus | undefined {
    const path = join(this.stateDir, 'status.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as AgentStatus) : undefined
  }

  sampled(count: number): Promise<void> {
    const goal = this.journal().length + count
    return this.until(() => this.journal().length >= goal)
  }

  /** A push that was begun after this call has been accepted. */
  accepted(): Promise<void> {
    const sinceMs = Date.now()
    return this.until(({ last_accepted_at: at, last_try_at: begun }) => at !== null && Date.parse(begun ?? at) >= sinceMs)
  }

  /** A push that was begun after this call has been accepted, and nothing waits. */
  emptied(): Promise<void> {
    const sinceMs = Date.now()
    return this.until(({ last_accepted_at: at, last_try_at: begun, queued_batches: queued }) => {
      return at !== null && Date.parse(begun ?? at) >= sinceMs && queued === 0
    })
  }

  /** A push that was begun after this call has failed. */
  failed(): Promise<void> {
    const sinceMs = Date.now()
    return this.until(({ last_error: error, last_try_at: begun }) => error !== null && Date.parse(begun ?? '') >= sinceMs)
  }

  /** Waits until the status is so, for as long as the agent runs. */
  async until(isSo: (status: AgentStatus) => boolean): Promise<void> {
    for (;;) {
      const status = this.status()
      if (status && isSo(status)) return
      this.#assertAlive()
      await sleep(50)
    }
  }

  #assertAlive(): void {
    if (this.#child?.exitCode !== null) throw new Error(`the agent ended: ${this.output.slice(-2_000)}`)
  }

  async #end(by: () => void): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    // Not `exit`: its output may come after that.
    const ended = once(this.#child, 'close')
    by()
    await ended
  }
}
