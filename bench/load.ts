/**
 * The clients: a process of its own that keeps so many connections busy, one request at a time on each, for so long.
 * HTTP by hand over a plain socket, which costs a fifth of Node's client: the cores belong to what is measured.
 * Driven by messages (`Order` in, `Result` out); prints `ready` first and ends with its parent.
 */
import { connect, type Socket } from 'node:net'
import { createBodies, type PushForm } from './push-bodies.ts'

export interface Order extends PushForm {
  port: number
  seconds: number
  connections: number
  /** One token per connection: pushes. None: `GET /hello`. */
  tokens?: readonly string[]
}

export interface Result {
  requests: number
  seconds: number
  p50Ms: number
  p99Ms: number
  /** Answers that were not a success, and the first of them. */
  failures: number
  firstFailure: string | undefined
  bodyBytes: number
}

interface Tally {
  latenciesMs: number[]
  failures: number
  firstFailure: string | undefined
  bodyBytes: number
}

/** By form: a host goes on in the next order where it was. */
const bodies = new Map<string, (host: number) => string>()

/** One connection: sends what `next` gives as soon as the answer before is there, until it gives nothing. */
function drive(port: number, next: () => string | undefined, tally: Tally): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let answer = ''
  let sentAt = 0
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const send = () => {
    const request = next()
    if (request === undefined) {
      socket.end()
      resolve()
      return
    }
    sentAt = performance.now()
    socket.write(request, 'latin1')
  }
  socket.once('connect', send)
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('the connection was closed')))
  socket.on('data', (chunk) => {
    answer += String(chunk)
    const headEnd = answer.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0)
    if (answer.length < headEnd + 4 + length) return
    tally.latenciesMs.push(performance.now() - sentAt)
    if (answer.charCodeAt(9) !== 50 || (answer.startsWith('HTTP/1.1 202') && !answer.includes('"accepted":6,'))) {
      tally.failures += 1
      tally.firstFailure ??= answer
    }
    answer = ''
    send()
  })
  return promise
}

const HELLO = 'GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n'

function bodiesOf(form: PushForm): (host: number) => string {
  const name = JSON.stringify([form.rows, form.late])
  const known = bodies.get(name) ?? createBodies(1_024, form)
  bodies.set(name, known)
  return known
}

function pushRequest(token: string, body: string, tally: Tally): string {
  tally.bodyBytes = body.length
  return (
    'POST /v1/agent/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${body.length}\r\nX-API-Key: ${token}\r\nUser-Agent: vedette-agent/1.0.0\r\nConnection: keep-alive\r\n\r\n${body}`
  )
}

async function run({ port, seconds, connections, tokens, rows, late }: Order): Promise<Result> {
  const bodyOf = bodiesOf({ rows, late })
  const tally: Tally = { latenciesMs: [], failures: 0, firstFailure: undefined, bodyBytes: 0 }
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  const nextOf = (host: number) => () => {
    if (performance.now() >= endAt) return undefined
    const token = tokens?.[host]
    return token === undefined ? HELLO : pushRequest(token, bodyOf(host), tally)
  }
  await Promise.all(Array.from({ length: connections }, (_, host) => drive(port, nextOf(host), tally)))
  const sorted = Float64Array.from(tally.latenciesMs).sort()
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const { failures, firstFailure, bodyBytes } = tally
  const took = (performance.now() - startedAt) / 1_000
  return { requests: sorted.length, seconds: took, p50Ms: at(0.5), p99Ms: at(0.99), failures, firstFailure, bodyBytes }
}

process.on('message', (order: Order) => {
  run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
console.log('ready to go')
