/**
 * Drives a blackbox_exporter at a steady pace: a process of its own, whose cost is nobody's. `POST`s nothing; asks /probe for each
 * target at its instant. Driven by messages (`PaceOrder` in, `PaceResult` out).
 */
import { request } from 'node:http'

export interface PaceOrder {
  /** Of the exporter. */
  port: number
  targets: readonly string[]
  intervalSeconds: number
  seconds: number
}
export interface PaceResult {
  asked: number
  failures: number
}

function ask(port: number, target: string): Promise<boolean> {
  return new Promise((resolve) => {
    const path = `/probe?module=http_2xx&target=${encodeURIComponent(target)}`
    request({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = ''
      response.on('data', (bytes: Buffer) => (text += bytes.toString()))
      response.on('end', () => resolve(/^probe_success 1$/m.test(text)))
    })
      .on('error', () => resolve(false))
      .end()
  })
}

async function pace({ port, targets, intervalSeconds, seconds }: PaceOrder): Promise<PaceResult> {
  const stepMs = (intervalSeconds * 1_000) / targets.length
  const startMs = performance.now()
  const waiting: Promise<boolean>[] = []
  for (let n = 0; n * stepMs < seconds * 1_000; ) {
    const dueMs = startMs + n * stepMs
    const waitMs = dueMs - performance.now()
    if (waitMs > 1) await new Promise((resolve) => void setTimeout(resolve, waitMs))
    waiting.push(ask(port, targets[n % targets.length] as string))
    n += 1
  }
  const results = await Promise.all(waiting)
  return { asked: results.length, failures: results.filter((isUp) => !isUp).length }
}

process.on('message', (order: PaceOrder) => void pace(order).then((result) => process.send?.(result)))
process.on('disconnect', () => process.exit())
console.log('ready pacer')
