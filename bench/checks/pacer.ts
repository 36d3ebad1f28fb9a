/**
 * Asks at a steady pace, as a process of its own whose cost is nobody's: a blackbox_exporter's /probe for each target at its
 * instant, or the targets themselves over bare connections, which shows how late anybody is on this machine. Driven by messages
 * (`PaceOrder` in, `PaceResult` out).
 */
import { request } from 'node:http'
import { connect } from 'node:net'

export interface PaceOrder {
  /** Asked in turns, one after the other. */
  targets: readonly string[]
  perSecond: number
  seconds: number
  /** A blackbox_exporter and its module. */
  exporter?: { port: number; module: string }
  /** Without an exporter the targets are requests for the paths `/m-<n>`, from this number on. */
  firstNumber?: number
}
export interface PaceResult {
  requests: number
  failures: number
  /** When the first was due, ms since the epoch. */
  startMs: number
}

function probe({ port, module }: Required<PaceOrder>['exporter'], target: string): Promise<boolean> {
  return new Promise((resolve) => {
    const path = `/probe?module=${module}&target=${encodeURIComponent(target)}`
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = ''
      response.on('data', (bytes: Buffer) => (text += bytes.toString()))
      response.on('end', () => resolve(/^probe_success 1$/m.test(text)))
    })
      .on('error', () => resolve(false))
      .end()
  })
}

function visit(target: string, n: number): Promise<boolean> {
  const { hostname, port } = new URL(target)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () =>
      socket.write(`GET /m-${n} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`),
    )
    socket.on('error', () => resolve(false))
    socket.once('data', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

async function pace({ exporter, targets, perSecond, seconds, firstNumber = 0 }: PaceOrder): Promise<PaceResult> {
  const stepMs = 1_000 / perSecond
  const start = performance.now()
  const startMs = performance.timeOrigin + start
  const waiting: Promise<boolean>[] = []
  for (let n = 0; n * stepMs < seconds * 1_000; n += 1) {
    const waitMs = start + n * stepMs - performance.now()
    if (waitMs > 1) await new Promise((resolve) => void setTimeout(resolve, waitMs))
    const target = targets[n % targets.length] as string
    waiting.push(exporter ? probe(exporter, target) : visit(target, firstNumber + n))
  }
  const results = await Promise.all(waiting)
  return { requests: results.length, failures: results.filter((isUp) => !isUp).length, startMs }
}

process.on('message', (order: PaceOrder) => void pace(order).then((result) => process.send?.(result)))
process.on('disconnect', () => process.exit())
console.log('ready pacer')
