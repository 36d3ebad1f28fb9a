/** Posts alerts at a rate over kept connections, as an order by IPC says, and answers with their number and times. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { bodyOf } from './bodies.ts'

export interface Order {
  port: number
  /** Of the sources, which take turns. */
  paths: readonly string[]
  perSecond: number
  seconds: number
  /** Whether each post changes something: an alert fires and is over in the next post of the source. Else the same one fires again. */
  isChanging: boolean
}
export interface Sent {
  count: number
  failed: number
  p99Ms: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

const post = (port: number, path: string, body: string): Promise<boolean> =>
  new Promise((resolve) => {
    const sent = request({ port, path, host: '127.0.0.1', agent, method: 'POST' }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 200))
    })
    sent.on('error', () => resolve(false))
    sent.end(body)
  })

const bodyOfTurn = (turn: number, isChanging: boolean): string =>
  isChanging
    ? bodyOf({ set: `load-${turn >> 1}`, count: 1, status: turn % 2 === 0 ? 'firing' : 'resolved' })
    : bodyOf({ set: 'load', count: 1 })

async function run({ port, paths, perSecond, seconds, isChanging }: Order): Promise<Sent> {
  const times: number[] = []
  const running: Promise<void>[] = []
  let failed = 0
  const send = async (index: number) => {
    const body = bodyOfTurn(Math.floor(index / paths.length), isChanging)
    const startedMs = performance.now()
    if (!(await post(port, paths[index % paths.length] as string, body))) failed += 1
    times.push(performance.now() - startedMs)
  }
  const beganMs = performance.now()
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const dueMs = beganMs + (index * 1_000) / perSecond
    if (dueMs > performance.now() + 1) await delay(dueMs - performance.now())
    running.push(send(index))
  }
  await Promise.all(running)
  times.sort((one, other) => one - other)
  return { count: times.length, failed, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN }
}

process.on('message', (order: Order) => void run(order).then((sent) => process.send?.(sent)))
process.on('disconnect', () => process.exit())
process.on('SIGTERM', () => process.exit())
console.log('ready load')
