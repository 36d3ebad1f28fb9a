import { closeConnection, type Connection } from '../../connect/connection.ts'
import { createBodyBuffer } from '../../http/body.ts'
import { codeOf, type Fault } from '../../phases/fault.ts'
import type { Attempt, ProbeTools } from '../kind.ts'

const MAX_BYTES = 65_536

export interface WhoisServer {
  host: string
  port: number
}

/** RFC 3912: one line there, a text back until the server closes the connection, at most 64 KiB. */
export function queryWhois(
  server: WhoisServer,
  line: string,
  attempt: Attempt,
  tools: ProbeTools,
  done: (outcome: { text: string } | Fault) => void,
): void {
  const { timeline, facts } = attempt
  const proceed = attempt.safely((outcome: Connection | Fault) => {
    if ('code' in outcome) return done(outcome)
    facts.address = outcome.address
    attempt.hold(() => closeConnection(outcome))
    const received = createBodyBuffer()
    const finish = (fault?: Fault) => {
      timeline.endByEvent()
      closeConnection(outcome)
      done(fault ?? { text: received.bytes().toString() })
    }
    outcome.onBytes = attempt.safely((bytes: Buffer) => {
      if (received.length === 0) timeline.passByEvent('transfer')
      received.add(bytes, 0, Math.min(bytes.length, MAX_BYTES - received.length))
      if (received.length >= MAX_BYTES) finish()
    })
    outcome.onEnd = attempt.safely(() => finish())
    outcome.onError = attempt.safely((error: Error) =>
      finish({ code: 'protocol', message: `the connection to WHOIS failed (${codeOf(error) || error.message})` }),
    )
    outcome.socket.write(`${line}\r\n`)
    timeline.begin('firstByte')
  })
  attempt.hold(tools.connector.connect({ ...server, plain: true }, timeline, proceed))
}
