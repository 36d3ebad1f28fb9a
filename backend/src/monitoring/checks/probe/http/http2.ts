import { truncateText } from '@vedette/shared'
import { connect, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import type { Socket } from 'node:net'
import { codeOf } from '../phases/fault.ts'
import type { Timeline } from '../phases/timeline.ts'
import type { Exchanged, HttpAnswer, OnHead } from './answer.ts'
import { createBodyBuffer } from './body.ts'
import { type Fields, joinFields } from './fields.ts'
import { MAX_HEAD_BYTES } from './head.ts'
import { contentLengthOf, fieldsOf, type HttpRequest, pathOf } from './request.ts'

/** The same number as for HTTP/1.1. */
const MAX_INTERIM = 32

type Received = IncomingHttpHeaders & IncomingHttpStatusHeader

/** Sends one request over HTTP/2, over TLS or with prior knowledge without it. Calls back once; the session ends with its socket. */
export function exchangeHttp2(socket: Socket, request: HttpRequest, timeline: Timeline, onHead: OnHead, done: Exchanged): void {
  const session = connect(request.url.origin, {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: MAX_HEAD_BYTES },
    maxHeaderListPairs: 1_000,
  })
  const body = createBodyBuffer()
  let head: Omit<HttpAnswer, 'body'> | undefined
  let interims = 0
  let isDone = false

  const settle = (outcome: Parameters<Exchanged>[0]) => {
    isDone = true
    session.destroy()
    done(outcome)
  }
  const fail = (message: string) => {
    if (isDone) return
    timeline.endByEvent()
    settle({ code: 'protocol', message })
  }
  const finish = (isAtOnce = false) => {
    if (isDone || !head) return
    if (isAtOnce) timeline.endAtOnce()
    else timeline.endByEvent()
    settle({ ...head, body: body.bytes() })
  }
  session.on('error', (error) => fail(wordsFor(error)))
  session.on('goaway', (code) => {
    if (code !== constants.NGHTTP2_NO_ERROR) fail(`the target ended the HTTP/2 connection (error ${code})`)
  })
  session.on('close', () => fail('the connection was closed without an answer'))

  const stream = session.request(pseudoHeaders(request), { endStream: request.body === undefined })
  stream.on('headers', () => {
    if (++interims > MAX_INTERIM) fail(`the target sent more than ${MAX_INTERIM} interim answers (1xx)`)
  })
  stream.on('response', (received: Received, _flags: number, raw: readonly string[]) => {
    if (isDone) return
    timeline.passByEvent('transfer')
    const statusCode = received[':status'] ?? 0
    head = { version: '2', statusCode, statusLine: `HTTP/2 ${statusCode}`, ...fieldsIn(raw) }
    if (onHead(head)) finish(true)
  })
  stream.on('data', (bytes: Buffer) => {
    body.add(bytes, 0, bytes.length)
    if (body.isFull) finish()
  })
  stream.on('end', () => (head ? finish() : fail('the connection was closed without an answer')))
  stream.on('error', (error) => fail(wordsFor(error)))
  stream.on('close', () => fail('the stream was closed before the answer was complete'))
  if (request.body) stream.end(request.body)
  timeline.begin('firstByte')
}

function pseudoHeaders(request: HttpRequest): Record<string, string> {
  const fields = Object.fromEntries(fieldsOf(request).map(([name, value]) => [name.toLowerCase(), value]))
  const { host = request.url.host, ...rest } = fields
  const length = contentLengthOf(request)
  return {
    ':method': request.method,
    ':path': pathOf(request.url),
    ':scheme': request.url.protocol.slice(0, -1),
    ':authority': host,
    ...rest,
    ...(length !== undefined && { 'content-length': String(length) }),
  }
}

/** Names and values by turns. Node's own object joins what is repeated. */
const fieldsIn = (raw: readonly string[]): Fields =>
  joinFields(
    raw.flatMap((name, index) =>
      index % 2 === 1 || name.startsWith(':') ? [] : [[name.toLowerCase(), raw[index + 1] ?? ''] as const],
    ),
  )

const wordsFor = (error: Error): string =>
  /RESET|EPIPE/.test(codeOf(error))
    ? 'the connection was reset before the answer was complete'
    : truncateText(`the answer breaks the rules of HTTP/2 (${codeOf(error) || error.message})`, 200)
