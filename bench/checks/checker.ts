/**
 * One checker in a process of its own: `checker.ts vedette|node`. `vedette` is the prober in its thread, `node` a bare prober on
 * node:http. Driven by messages (`CheckerOrder` in, `CheckerResult` out); prints `ready` first and ends with its parent.
 */
import { get } from 'node:http'
import { startProberThread } from '../../backend/src/monitoring/checks/probe/index.ts'
import type { CheckDefinition } from '../../shared/src/index.ts'

export interface CheckerOrder {
  url: string
  seconds: number
  /** Checks that start each second, each with its number as the path. */
  perSecond: number
  /** The thread that orders the checks (an API's) is blocked so many ms of every 500. */
  blockMs?: number
}

export interface CheckerResult {
  checks: number
  failures: number
  firstFailure: string | undefined
  times: [path: string, ms: number][]
}

interface Outcome {
  /** Undefined: it failed. */
  ms: number | undefined
  failure?: string
}

type Check = (url: string, startAtMs?: number) => Promise<Outcome>

const mode = process.argv[2] ?? ''

function vedette(): Check {
  const thread = startProberThread({ allowPrivateTargets: 'all', perHostInFlight: 10_000 })
  const plain = {
    type: 'http',
    method: 'GET',
    headers: {},
    body: null,
    timeout: 10,
    follow_redirects: true,
    verify_tls: true,
    options: {},
    credentials: {},
  } as const
  return async (url, startAtMs) => {
    const definition: CheckDefinition = { ...plain, url, assertions: [] }
    const { outcome, error, response_ms } = await thread.check(definition, startAtMs)
    return outcome === 'up' ? { ms: response_ms ?? 0 } : { ms: undefined, failure: JSON.stringify(error) }
  }
}

/** Node's own client, a new connection for each check. */
const bareNode: Check = (url) =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const failed = (error: Error) => resolve({ ms: undefined, failure: String(error) })
    get(url, { agent: false, timeout: 10_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve({ ms: performance.now() - startedAt }))
      response.on('error', failed)
    }).on('error', failed)
  })

const check = mode === 'vedette' ? vedette() : bareNode

function take(result: CheckerResult, path: string, { ms, failure }: Outcome): void {
  result.checks++
  if (ms === undefined) {
    result.failures++
    result.firstFailure ??= failure
  } else result.times.push([path, ms])
}

let sequence = 0

/** Starts checks at fixed instants. A prober with a thread gets them ahead of time, as from a scheduler; the bare one when they are due. */
async function pace({ url, seconds, perSecond, blockMs = 0 }: CheckerOrder, result: CheckerResult): Promise<void> {
  const startAtMs = Date.now() + 1_000
  const count = perSecond * seconds
  const blocking = blockMs > 0 ? setInterval(() => block(blockMs), 500) : undefined
  const one = async (index: number) => {
    const path = `/${++sequence}`
    const dueAtMs = startAtMs + (index * 1_000) / perSecond
    if (mode !== 'vedette') await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAtMs - Date.now())))
    take(result, path, await check(`${url}${path}`, dueAtMs))
  }
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)))
  clearInterval(blocking)
}

function block(ms: number): void {
  const endAt = performance.now() + ms
  while (performance.now() < endAt);
}

async function run(order: CheckerOrder): Promise<void> {
  const result: CheckerResult = { checks: 0, failures: 0, firstFailure: undefined, times: [] }
  await pace(order, result)
  process.send?.(result)
}

process.on('message', (order: CheckerOrder) => void run(order))
process.on('disconnect', () => process.exit())
console.log('ready to check')
