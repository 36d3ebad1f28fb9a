/**
 * The clients of a bench, in a process of their own: they keep `connections` connections busy, one request at a time on each, for
 * `seconds`. Connections stay open from order to order, as those of agents do. They write HTTP to plain sockets, which costs a fifth of
 * Node's client, so that the cores are free for what is measured.
 * Driven by messages (`Order` in, `Result` out); prints `ready` first and ends with its parent.
 */
import { connect, type Socket } from 'node:net'
import { ALL_FIELDS } from '../../shared/src/index.ts'
import { createBodies, type PushForm, pushRequest } from '../samples/push-bodies.ts'
import { createWrites } from '../samples/remote-write-bodies.ts'

export interface Order {
  port: number
  seconds: number
  connections: number
  /** They take turns on the connections. */
  hosts: number
  /** Of a sample; all when absent. */
  fieldCount?: number
  /** Of pushes: one for each host. */
  tokens?: readonly string[]
  /** Of pushes, `binary` when absent. */
  form?: PushForm
  /** Pushes of past days, as an agent sends after an outage; else of the minute that just ended. */
  late?: boolean
  /** Remote writes of as many samples in place of pushes. */
  writes?: boolean
}

export interface Result {
  requests: number
  /** Answers that were not a success, and the first of them. */
  failures: number
  firstFailure: string | undefined
}

/** One connection. */
interface Line {
  number: number
  socket: Socket
  answer: string
  /** Receives the answer, or an error. */
  answered: (answer: string | Error) => void
}

/** Open ones by port and number. */
const open = new Map<number, Map<number, Line>>()
const OPEN_AT_ONCE = 200
const ignore = () => undefined

async function linesTo(port: number, connections: number): Promise<Line[]> {
  const lines = open.get(port) ?? new Map<number, Line>()
  open.set(port, lines)
  for (let from = 0; from < connections; from += OPEN_AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(OPEN_AT_ONCE, connections - from) }, async (_, index) => {
        const number = from + index
        if (!lines.has(number)) lines.set(number, await connectLine(port, number))
      }),
    )
  return Array.from({ length: connections }, (_, number) => lines.get(number) as Line)
}

function connectLine(port: number, number: number): Promise<Line> {
  const { promise, resolve, reject } = Promise.withResolvers<Line>()
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const line: Line = { number, socket, answer: '', answered: ignore }
  socket.once('connect', () => resolve(line))
  socket.once('error', (error) => {
    reject(error)
    line.answered(error)
  })
  socket.once('close', () => {
    if (open.get(port)?.get(number) === line) open.get(port)?.delete(number)
    line.answered(new Error('the connection was closed'))
  })
  socket.on('data', (chunk) => {
    const answer = (line.answer += String(chunk))
    const headEnd = answer.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? 0)
    if (answer.length < headEnd + 4 + length) return
    line.answer = ''
    line.answered(answer)
  })
  return promise
}

async function replaceLine(port: number, { number, socket }: Line): Promise<Line> {
  socket.destroy()
  const fresh = await connectLine(port, number)
  open.get(port)?.set(number, fresh)
  return fresh
}

/** The server closes the connection after this answer. */
const isLast = (answer: string): boolean => /\r\nconnection: close\r\n/i.test(answer)

/** Sends the next request on each connection as soon as the answer to the last one is there, until `nextRequest` returns undefined. */
function drive(
  port: number,
  lines: readonly Line[],
  nextRequest: () => string | Buffer | undefined,
  result: Result,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const free = [...lines]
  let underWay = 0
  const send = (): void => {
    const line = free.shift() as Line
    const request = nextRequest()
    if (request === undefined) {
      if (underWay === 0) resolve()
      return
    }
    underWay += 1
    line.answered = (answer) => (typeof answer === 'string' ? take(line, answer) : reject(answer))
    if (typeof request === 'string') line.socket.write(request, 'latin1')
    else line.socket.write(request)
  }
  const take = (line: Line, answer: string): void => {
    result.requests += 1
    if (answer.charCodeAt(9) !== 50 || (answer.startsWith('HTTP/1.1 202') && !answer.includes('"accepted":6,'))) {
      result.failures += 1
      result.firstFailure ??= answer
    }
    line.answered = ignore
    const goOn = (next: Line): void => {
      free.push(next)
      underWay -= 1
      send()
    }
    if (!isLast(answer)) return goOn(line)
    replaceLine(port, line).then(goOn, reject)
  }
  for (let count = 0; count < lines.length; count += 1) send()
  return promise
}

/** A host goes on in the next order of the same kind where it was. */
const kinds = new Map<string, (host: number) => string | Buffer>()

function bodiesOf({
  writes = false,
  form = 'binary',
  late = false,
  hosts,
  fieldCount,
}: Order): (host: number) => string | Buffer {
  const key = JSON.stringify([writes, form, late, hosts, fieldCount])
  const make = () => (writes ? createWrites(hosts, fieldCount ?? ALL_FIELDS.length) : createBodies(hosts, late, form, fieldCount))
  const cached = kinds.get(key) ?? make()
  kinds.set(key, cached)
  return cached
}

function writeRequest(body: Buffer): Buffer {
  const head =
    'POST /api/v1/write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n' +
    `User-Agent: vedette-bench/1.0.0\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

function requestsOf(order: Order): (host: number) => string | Buffer {
  const bodyOf = bodiesOf(order)
  const { writes = false, tokens = [] } = order
  return (host) => (writes ? writeRequest(bodyOf(host) as Buffer) : pushRequest(tokens[host] ?? '', bodyOf(host)))
}

let nextHost = 0

async function run(order: Order): Promise<Result> {
  const { port, seconds, connections, hosts } = order
  const result: Result = { requests: 0, failures: 0, firstFailure: undefined }
  const requestOf = requestsOf(order)
  const lines = await linesTo(port, connections)
  const endAt = performance.now() + seconds * 1_000
  const next = () => (nextHost = (nextHost + 1) % hosts)
  await drive(port, lines, () => (performance.now() < endAt ? requestOf(next()) : undefined), result)
  return result
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
