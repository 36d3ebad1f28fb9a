/**
 * One checker in a process of its own, so that its CPU time can be read: `probe-checker.ts vedette|node|driver CA_FILE`.
 * `vedette` is the prober in its thread, `node` a bare prober on node:http(s), `driver` asks a blackbox_exporter (whose own process
 * is then what counts). Driven by messages (`CheckerOrder` in, `CheckerResult` out); prints `ready` first and ends with its parent.
 */
import { readFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createSecureContext } from 'node:tls'
import { startProberThread } from '../backend/src/checks/probe/index.ts'
import type { CheckDefinition } from '../shared/src/index.ts'

export interface CheckerOrder {
  url: string
  seconds: number
  /** Saturated: so many checks are always under way. */
  inFlight?: number
  /** Paced: so many are begun each second, each with its number as the path. */
  perSecond?: number
  /** The thread that orders the checks (an API's) is blocked so many ms of every 500. */
  blockMs?: number
}

export interface CheckerResult {
  checks: number
  failures: number
  firstFailure: string | undefined
  /** Of paced checks: path, measured ms, and whether the prober doubts it. */
  times: [path: string, ms: number, delayed: boolean][]
}

interface Outcome {
  /** Undefined: it failed. */
  ms: number | undefined
  delayed?: boolean
  failure?: string
}

type Check = (url: string, startAtMs?: number) => Promise<Outcome>

const [mode = '', caFile = '', exporter = ''] = process.argv.slice(2)
const authority = readFileSync(caFile, 'utf8')

function vedette(): Check {
  const thread = startProberThread({ allowPrivateTargets: 'all', extraAuthorities: [authority], perHostInFlight: 10_000 })
  const plain = {
    type: 'http',
    method: 'GET',
    headers: {},
    body: null,
    timeout: 10,
    follow_redirects: true,
    verify_tls: true,
  } as const
  return async (url, startAtMs) => {
    const definition: CheckDefinition = { ...plain, url, assertions: [] }
    const { outcome, error, response_ms, delayed } = await thread.check(definition, startAtMs)
    return outcome === 'up' ? { ms: response_ms ?? 0, delayed } : { ms: undefined, failure: JSON.stringify(error) }
  }
}

/** What most would write: the runtime's client, a fresh connection for each check, one secure context. */
function bareNode(): Check {
  // The types of a request leave the context out.
  const options = { agent: false, secureContext: createSecureContext({ ca: authority }), timeout: 10_000 } as const
  return (url) =>
    new Promise((resolve) => {
      const startedAt = performance.now()
      const send = url.startsWith('https:') ? httpsRequest : httpRequest
      const failed = (error: Error) => resolve({ ms: undefined, failure: String(error) })
      const request = send(url, options, (response) => {
        let bytes = 0
        response.on('data', (part: Buffer) => (bytes += part.length))
        response.on('end', () => resolve({ ms: performance.now() - startedAt }))
        response.on('error', failed)
      })
      request.on('error', failed)
      request.end()
    })
}

function blackboxDriver(): Check {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  return (url) =>
    new Promise((resolve) => {
      const probe = `${exporter}/probe?module=${url.startsWith('https:') ? 'https' : 'http'}&target=${encodeURIComponent(url)}`
      const request = httpRequest(probe, { agent }, (response) => {
        let text = ''
        response.setEncoding('latin1')
        response.on('data', (part: string) => (text += part))
        response.on('end', () =>
          resolve(/^probe_success 1$/m.test(text) ? { ms: 0 } : { ms: undefined, failure: text.slice(0, 2_000) }),
        )
      })
      request.on('error', (error) => resolve({ ms: undefined, failure: String(error) }))
      request.end()
    })
}

const makers: Record<string, () => Check> = { vedette, node: bareNode, driver: blackboxDriver }
const check = (makers[mode] as () => Check)()

function take(result: CheckerResult, path: string | undefined, { ms, delayed = false, failure }: Outcome): void {
  result.checks++
  if (ms === undefined) {
    result.failures++
    result.firstFailure ??= failure
  } else if (path !== undefined) result.times.push([path, ms, delayed])
}

async function saturate({ url, seconds, inFlight = 64 }: CheckerOrder, result: CheckerResult): Promise<void> {
  const endAt = performance.now() + seconds * 1_000
  const lane = async () => {
    while (performance.now() < endAt) take(result, undefined, await check(url))
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
}

let sequence = 0

/** Begins checks on a grid. A prober with a thread is told ahead, as a scheduler would; the bare one is called when it is time. */
async function pace({ url, seconds, perSecond = 600, blockMs = 0 }: CheckerOrder, result: CheckerResult): Promise<void> {
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
  await (order.perSecond === undefined ? saturate(order, result) : pace(order, result))
  process.send?.(result)
}

process.on('message', (order: CheckerOrder) => void run(order))
process.on('disconnect', () => process.exit())
console.log('ready to check')
