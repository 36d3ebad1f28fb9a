import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { createPool, type Pool } from '../../backend/src/platform/db/index.ts'
import { findRunningUrl } from '../../backend/src/platform/db/postgres/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { benchEnvironment, newDataDir, readPostgresPid, register, signIn } from '../lib/backend.ts'
import { type Child, ROOT, startChild } from '../lib/child.ts'
import { treeOf } from '../lib/processes.ts'
import { freePort, VEDETTE } from '../../scripts/test-tools.ts'

/** A server that was registered, with the token that it had first and that is dead. */
export interface Registered {
  /** `srv_…` */
  id: string
  token: string
  deadToken: string
  /** Of the owner of its organization. */
  organizationId: string
}

/** A Vedette with its embedded Postgres, whose parts are killed and started again; its address stays. */
export class Installation {
  readonly dataDir = newDataDir()
  port = 0
  #child: Child | undefined
  #session = ''

  async start(): Promise<void> {
    this.port = await freePort()
    await this.startBackend()
    this.#session = await signIn(this.#url)
  }

  async startBackend(): Promise<void> {
    this.#child = await startChild({ args: [VEDETTE, 'serve'], environment: this.#environment() })
  }

  /** Postgres stays; the next backend takes it over. */
  async killBackend(): Promise<void> {
    if (!this.#child) return
    const ended = once(this.#child.process, 'exit')
    this.#child.process.kill('SIGKILL')
    await ended
  }

  /** A start that is killed on its way. */
  async startInVain(afterMs: number): Promise<void> {
    const child = this.#spawn('serve')
    const ended = once(child, 'exit')
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, afterMs))])
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await ended
  }

  /** Every process of Postgres at once. */
  async killPostgres(): Promise<void> {
    for (const pid of treeOf(await readPostgresPid(this.dataDir)).toReversed()) signal(pid, 'SIGKILL')
  }

  /** As `pg_ctl restart -m fast` does: connections are cut, what was committed is written; the backend starts it again. Waits for its end. */
  async restartPostgres(): Promise<void> {
    const pid = await readPostgresPid(this.dataDir)
    signal(pid, 'SIGINT')
    while (existsSync(`/proc/${pid}`)) await sleep(10)
  }

  /** `vedette compact`; it may be killed. */
  compact(): ChildProcess {
    return this.#spawn('compact')
  }

  /** Creates a second organization, in addition to that of the first start. */
  async organization(name: string): Promise<{ id: string }> {
    return (await this.#call('POST', '/v1/organizations', { name })) as { id: string }
  }

  async firstOrganization(): Promise<{ id: string }> {
    const { organizations } = (await this.#call('GET', '/v1/organizations')) as { organizations: { id: string }[] }
    const [first] = organizations
    if (!first) throw new Error('no organization')
    return first
  }

  /** A key that registers servers of the organization. */
  async agentKey(organizationId: string): Promise<string> {
    const wanted = { name: 'agents', scopes: ['agent'] }
    return ((await this.#call('POST', '/v1/api-keys', wanted, organizationId)) as { key: string }).key
  }

  async register(organizationId: string, key: string): Promise<Registered> {
    const made = await register(this.#url, key, 'pushed')
    const path = `/v1/servers/${made.server_id}/regenerate-token`
    const { token } = (await this.#call('POST', path, undefined, organizationId)) as { token: string }
    return { id: made.server_id, token, deadToken: made.token, organizationId }
  }

  read(path: string, organizationId: string): Promise<unknown> {
    return this.#call('GET', path, undefined, organizationId)
  }

  /** The status alone, for what must be refused. */
  async statusOf(path: string, organizationId: string): Promise<number> {
    return (await this.#fetch('GET', path, undefined, organizationId)).status
  }

  /** Connections of the accountant's own. */
  async pool(): Promise<Pool> {
    const url = await findRunningUrl(this.dataDir)
    if (url === undefined) throw new Error('Postgres does not run')
    return createPool({ url, clock: systemClock, log: silentLog, max: 2 })
  }

  async stop(): Promise<void> {
    if (this.#child && this.#child.process.exitCode === null && this.#child.process.signalCode === null) await this.#child.stop()
    // Where the backend was killed, Postgres outlived it.
    await this.killPostgres().catch(() => undefined)
    await rm(this.dataDir, { recursive: true, force: true })
  }

  get #url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...benchEnvironment(this.dataDir), VEDETTE_PORT: String(this.port), VEDETTE_LOG_LEVEL: 'silent' }
  }

  #spawn(command: string): ChildProcess {
    return spawn(process.execPath, [VEDETTE, command], { cwd: ROOT, env: this.#environment(), stdio: 'ignore' })
  }

  #fetch(method: string, path: string, body?: unknown, organizationId?: string): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#session}` }
    if (organizationId !== undefined) headers['x-organization-id'] = organizationId
    if (body !== undefined) headers['content-type'] = 'application/json'
    return fetch(`${this.#url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  async #call(method: string, path: string, body?: unknown, organizationId?: string): Promise<unknown> {
    const response = await this.#fetch(method, path, body, organizationId)
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself since it was listed.
  }
}
