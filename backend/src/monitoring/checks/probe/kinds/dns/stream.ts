import { counted } from '@vedette/shared'
import { closeConnection, type Connection } from '../../connect/connection.ts'
import { createBodyBuffer } from '../../http/body.ts'
import { type Channel, plainChannel, tlsChannel } from '../../http/http1.ts'
import { codeOf, type Fault } from '../../phases/fault.ts'
import type { Attempt, ProbeTools } from '../kind.ts'
import type { Server } from './udp.ts'

const LENGTH_BYTES = 2

/** `host`: its certificate is for this name or address. */
export interface StreamTarget {
  servers: readonly Server[]
  tls: { host: string; verify: boolean } | undefined
}

/**
 * Sends a query over TCP or TLS (RFC 7766, RFC 7858) and hands over the one message that answers it. The addresses have been checked by
 * the guard.
 */
export function queryByStream(
  { servers, tls }: StreamTarget,
  query: Buffer,
  attempt: Attempt,
  tools: Pick<ProbeTools, 'tls' | 'connector'>,
  onMessage: (bytes: Buffer) => void,
): void {
  const { timeline, facts } = attempt
  const port = servers[0]?.port ?? 0
  const addresses = servers.filter((server) => server.port === port).map(({ address }) => address)
  const proceed = attempt.safely((outcome: Connection | Fault) => {
    if ('code' in outcome) return attempt.fail(outcome)
    facts.address = outcome.address
    attempt.hold(() => closeConnection(outcome))
    if (!tls) return exchange(plainChannel(outcome), query, attempt, onMessage)
    const secured = attempt.safely((result: Parameters<Parameters<typeof tools.tls.start>[3]>[0]) => {
      if (result.certificate) facts.certificate = result.certificate
      if ('fault' in result) attempt.fail(result.fault)
      else exchange(tlsChannel(outcome, result.socket), query, attempt, onMessage)
    })
    tools.tls.start(outcome, tls, timeline, secured)
  })
  attempt.hold(tools.connector.connectTo({ addresses, port, plain: !tls }, timeline, proceed))
}

function exchange(channel: Channel, query: Buffer, attempt: Attempt, onMessage: (bytes: Buffer) => void): void {
  const { timeline } = attempt
  const received = createBodyBuffer()
  let isDone = false
  const fail = (how: string) => {
    if (isDone) return
    isDone = true
    timeline.endByEvent()
    attempt.fail({
      code: 'protocol',
      message: counted`the connection ${how} after ${received.length} bytes of the answer`,
    } satisfies Fault)
  }
  channel.listen({
    bytes: attempt.safely((bytes: Buffer) => {
      if (isDone) return
      const isFirst = received.length === 0
      received.add(bytes, 0, bytes.length)
      if (isFirst) timeline.passByEvent('transfer')
      if (received.length < LENGTH_BYTES) return
      const end = LENGTH_BYTES + received.bytes().readUInt16BE()
      if (received.length < end) return
      isDone = true
      if (isFirst) timeline.endAtOnce()
      else timeline.endByEvent()
      onMessage(received.bytes().subarray(LENGTH_BYTES, end))
    }),
    end: attempt.safely(() => fail('was closed')),
    error: attempt.safely((error: Error) => fail(`failed (${codeOf(error) || error.message})`)),
  })
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(query.length)
  channel.write(Buffer.concat([length, query]))
  timeline.begin('firstByte')
}
