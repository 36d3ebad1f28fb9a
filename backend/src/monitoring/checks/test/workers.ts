import { randomUUID } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { CheckDefinition, CheckResult } from '@vedette/shared'
import type { FakeClock } from '../../../../test/fake-clock.ts'
import { NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import type { TestBackend } from '../../../../test/harness.ts'
import { type Clock, systemClock } from '../../../platform/time/clock.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createEncrypter } from '../../../platform/crypto/encrypter.ts'
import type { Pool } from '../../../platform/db/index.ts'
import type { Control } from '../worker/control.ts'
import { startWorker, type Worker, type WorkerDeps } from '../worker/worker.ts'
import { resultOf } from './monitors.ts'

/** A network that never fails. */
export const NO_CONTROL: Control = { targets: () => [], isNetworkDown: async () => false, prove: async () => undefined }

export const TEST_ENCRYPTER = createEncrypter([Buffer.alloc(32, 1)])

/** Makes checks by the word of the test: what the URL says, or a function. */
export interface ScriptedProber {
  /** What was begun, in order. */
  begun: { url: string; atMs: number }[]
  check(definition: CheckDefinition, startAtMs: number): Promise<CheckResult>
}

export function scriptedProber(
  clock: Clock,
  answer: (definition: CheckDefinition) => CheckResult['outcome'] | Promise<CheckResult['outcome']> = () => 'up',
): ScriptedProber {
  const begun: ScriptedProber['begun'] = []
  return {
    begun,
    check: async (definition, startAtMs) => {
      if (startAtMs > clock.now()) await clock.sleep(startAtMs - clock.now())
      const atMs = clock.now()
      begun.push({ url: definition.url, atMs })
      return resultOf(await answer(definition), atMs)
    },
  }
}

export function startTestWorker(
  { pool }: Pick<TestBackend, 'pool'>,
  region: number,
  prober: Pick<ScriptedProber, 'check'>,
  more: Partial<WorkerDeps> = {},
): Worker {
  const clock = more.clock ?? systemClock
  return startWorker({
    pool,
    changes: NO_ANNOUNCEMENTS,
    clock,
    now: () => clock.now(),
    log: silentLog,
    id: randomUUID(),
    region,
    prober,
    control: NO_CONTROL,
    encrypter: TEST_ENCRYPTER,
    openFiles: 10_000,
    ...more,
  })
}

/** A way to the database that can be cut. */
export interface Bridge {
  url: string
  /** Breaks every connection and lets nobody in. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function openBridge(databaseUrl: string): Promise<Bridge> {
  const target = new URL(databaseUrl)
  const folder = target.searchParams.get('host')
  const port = Number(target.port || 5432)
  const to = folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: target.hostname, port }
  let isCut = false
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    const other = connect(to)
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      open.add(one)
      one.pipe(two)
      one.on('error', () => two.destroy())
      one.on('close', () => {
        open.delete(one)
        two.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const breakAll = () => open.forEach((socket) => socket.destroy())
  return {
    url: url.href,
    cut: () => {
      isCut = true
      breakAll()
    },
    mend: () => void (isCut = false),
    close: () => {
      breakAll()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}

/** Asks until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`did not come true within ${withinMs} ms: ${String(isSo)}`)
    await systemClock.sleep(10)
  }
}

/** Lets the time of these clocks go on until it is over. */
export async function whileTimePasses(clocks: readonly FakeClock[], work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const end = () => over.abort()
  work.then(end, end)
  while (!over.signal.aborted) {
    for (const clock of clocks) clock.advance(100)
    await systemClock.sleep(1)
  }
  await work
}

export const endAll = async (workers: readonly Worker[], pools: readonly Pool[] = []): Promise<void> => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all(pools.map((pool) => pool.end()))
}
