/** Sends pings at a rate over kept connections, as an order by IPC says, and answers with their number and times. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export interface Order {
  port: number
  paths: readonly string[]
  perSecond: number
  seconds: number
}
export interface Sent {
  count: number
  failed: number
  p50Ms: number
  p99Ms: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const send = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const sent = request({ port, path, host: '127.0.0.1', agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode !== undefined && response.statusCode < 300))
    })
    sent.on('error', () => resolve(false))
    sent.end()
  })

async function run({ port, paths, perSecond, seconds }: Order): Promise<Sent> {
  const times: number[] = []
  const running: Promise<void>[] = []
  let failed = 0
  const measure = async (path: string) => {
    const startedMs = performance.now()
    if (!(await send(port, path))) failed += 1
    times.push(performance.now() - startedMs)
  }
  const beganMs = performance.now()
  for (let count = 0; count < perSecond * seconds; count += 1) {
    const dueMs = beganMs + (count * 1_000) / perSecond
    if (dueMs > performance.now() + 1) await delay(dueMs - performance.now())
    running.push(measure(paths[count % paths.length] as string))
  }
  await Promise.all(running)
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { count: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99) }
}

process.on('message', (order: Order) => void run(order).then((sent) => process.send?.(sent)))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
console.log('ready load')
