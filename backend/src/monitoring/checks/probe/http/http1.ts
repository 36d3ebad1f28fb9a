import { counted } from '@vedette/shared'
import type { TLSSocket } from 'node:tls'
import type { Connection } from '../connect/connection.ts'
import { codeOf } from '../phases/fault.ts'
import type { Timeline } from '../phases/timeline.ts'
import type { Exchanged, ExchangeFault, HttpAnswer, OnHead } from './answer.ts'
import { type AnswerReader, createAnswerReader, Http2Instead } from './answer-reader.ts'
import { type Head, ProtocolFault } from './head.ts'
import { encodeRequest, type HttpRequest } from './request.ts'

/** A byte stream to the target: a plain connection or TLS. */
export interface Channel {
  write(bytes: Buffer): void
  listen(on: { bytes(bytes: Buffer): void; end(): void; error(error: Error): void }): void
}

export function plainChannel(connection: Connection): Channel {
  return {
    write: (bytes) => void connection.socket.write(bytes),
    listen({ bytes, end, error }) {
      connection.onBytes = bytes
      connection.onEnd = end
      connection.onError = error
    },
  }
}

export function tlsChannel(connection: Connection, socket: TLSSocket): Channel {
  return {
    write: (bytes) => void socket.write(bytes),
    listen({ bytes, end, error }) {
      socket.on('data', bytes)
      socket.on('end', end)
      socket.on('error', error)
      // Closed without a TLS alert.
      socket.on('close', end)
      connection.onError = error
    },
  }
}

/** Sends one request over HTTP/1.1. Calls back once, and never after the channel is closed. */
export function exchangeHttp1(channel: Channel, request: HttpRequest, timeline: Timeline, onHead: OnHead, done: Exchanged): void {
  const reader = createAnswerReader(request.method)
  let head: Omit<HttpAnswer, 'body'> | undefined
  let hasBegun = false
  let isDone = false
  const fail = (fault: ExchangeFault) => {
    if (isDone) return
    isDone = true
    timeline.endByEvent()
    done(fault)
  }
  const attempt = (step: () => void) => {
    try {
      step()
    } catch (error) {
      if (!(error instanceof ProtocolFault)) throw error
      fail({ code: 'protocol', message: error.message, wantsHttp2: error instanceof Http2Instead })
    }
  }
  const finish = (isAtOnce: boolean) => {
    if (isDone) return
    isDone = true
    if (isAtOnce) timeline.endAtOnce()
    else timeline.endByEvent()
    // Only called after a head.
    done({ ...(head as NonNullable<typeof head>), body: reader.body.bytes() })
  }
  channel.listen({
    bytes(bytes) {
      if (isDone) return
      const isFirst = !hasBegun
      hasBegun = true
      if (isFirst) timeline.passByEvent('transfer')
      attempt(() => {
        const isComplete = reader.take(bytes)
        let isEnough = false
        if (reader.head && !head) {
          head = headOf(reader.head)
          isEnough = onHead(head)
        }
        if (isComplete || isEnough) finish(isFirst)
      })
    },
    end: () =>
      attempt(() => {
        if (isDone) return
        reader.end()
        finish(false)
      }),
    error: (error) => fail({ code: 'protocol', message: brokenOff(error, reader) }),
  })
  channel.write(encodeRequest(request))
  timeline.begin('firstByte')
}

const headOf = ({ minorVersion, ...head }: Head) => ({ version: minorVersion === 0 ? '1.0' : '1.1', ...head }) as const

function brokenOff(error: Error, { head, body }: AnswerReader): string {
  const code = codeOf(error)
  const how = /RESET|EPIPE/.test(code) ? 'was reset' : `failed (${code || error.message})`
  return head
    ? counted`the connection ${how} after ${body.length} bytes of the body`
    : `the connection ${how} before an answer was complete`
}
