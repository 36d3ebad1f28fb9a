import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import type { Socket } from 'node:net'
import { codeOf, type Fault } from '../../phases/fault.ts'
import type { Timeline } from '../../phases/timeline.ts'
import { readable } from '../conversation/readable.ts'

export interface GrpcCall {
  /** `host:port`. */
  authority: string
  path: string
  isSecure: boolean
  message: Buffer
  timeoutSeconds: number
  bearerToken: string | undefined
}

export interface GrpcAnswer {
  /** 0 to 16. */
  status: number
  /** Of the target, for people. */
  text: string
  /** Its messages with their frames; empty after a failed call. */
  bytes: Buffer
}

const MAX_ANSWER_BYTES = 4_096

type Fields = IncomingHttpHeaders & IncomingHttpStatusHeader

/** One unary call over HTTP/2. Calls back once; the session ends with its socket. */
export function callGrpc(socket: Socket, call: GrpcCall, timeline: Timeline, done: (outcome: GrpcAnswer | Fault) => void): void {
  const scheme = call.isSecure ? 'https' : 'http'
  const session = connect(`${scheme}://${call.authority}`, {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: 16_384 },
    maxHeaderListPairs: 100,
  })
  const parts: Buffer[] = []
  let length = 0
  let fields: Fields = {}
  let isDone = false

  const settle = (outcome: GrpcAnswer | Fault) => {
    if (isDone) return
    isDone = true
    timeline.endByEvent()
    session.destroy()
    done(outcome)
  }
  const fail = (message: string) => settle({ code: 'protocol', message })
  const onError = (error: Error) => fail(`the answer breaks the rules of HTTP/2 (${codeOf(error) || readable(error.message)})`)
  session.on('error', onError)
  session.on('close', () => fail('the connection was closed without an answer'))

  const stream = session.request({
    ':method': 'POST',
    ':path': call.path,
    ':scheme': scheme,
    ':authority': call.authority,
    te: 'trailers',
    'content-type': 'application/grpc',
    'user-agent': 'Vedette',
    'grpc-accept-encoding': 'identity',
    'grpc-timeout': `${call.timeoutSeconds}S`,
    ...(call.bearerToken !== undefined && { authorization: `Bearer ${call.bearerToken}` }),
  })
  stream.on('response', (received: Fields) => {
    if (isDone) return
    timeline.passByEvent('transfer')
    fields = received
    const status = received[':status'] ?? 0
    if (status !== 200) return fail(`the target answered with status ${status} instead of 200`)
    if (!/^application\/grpc(?:$|[;+])/i.test(received['content-type'] ?? '')) fail('the target does not speak gRPC')
  })
  stream.on('trailers', (received: Fields) => (fields = received))
  stream.on('data', (bytes: Buffer) => {
    length += bytes.length
    if (length > MAX_ANSWER_BYTES) fail(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    else parts.push(bytes)
  })
  stream.on('end', () => {
    const status = /^\d{1,2}$/.exec(String(fields['grpc-status']))?.[0]
    if (status === undefined) fail('the answer ended without a status of gRPC')
    else
      settle({
        status: Number(status),
        text: readable(decoded(String(fields['grpc-message'] ?? ''))),
        bytes: Buffer.concat(parts),
      })
  })
  stream.on('error', onError)
  stream.on('close', () => fail('the stream was closed before the answer was complete'))
  stream.end(call.message)
  timeline.begin('firstByte')
}

/** Messages of gRPC are %-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
