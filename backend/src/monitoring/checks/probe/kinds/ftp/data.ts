import { closeConnection, type Connection } from '../../connect/connection.ts'
import type { Fault } from '../../phases/fault.ts'
import type { TlsOutcome } from '../../tls/handshake.ts'
import { CheckFault, protocolFault } from '../conversation/check-fault.ts'
import type { Attempt, ProbeTools } from '../kind.ts'

/** What a data connection brings at most. */
const MAX_BYTES = 1_048_576

/** TLS of the control connection, which many servers want to see resumed: it shows that both have the same other side. */
export interface DataTls {
  host: string
  verify: boolean
  session: Buffer | undefined
}

/** A passive data connection. The address rules apply to it as to every connection; its faults name it. */
export interface DataConnection {
  /** By TLS, once the server has agreed to the transfer. */
  secure(tls: DataTls): Promise<void>
  /** All bytes up to its end. */
  readAll(): Promise<Buffer>
  close(): void
}

const ofData = ({ code, message }: Fault): CheckFault => new CheckFault(code, `the data connection: ${message}`)

export async function openData(
  { timeline, safely }: Attempt,
  tools: ProbeTools,
  target: { host: string; port: number; isTls: boolean },
  hold: (release: () => void) => void,
): Promise<DataConnection> {
  const { host, port, isTls } = target
  const outcome = await new Promise<Connection | Fault>((resolve) => {
    hold(tools.connector.connect({ host, port, plain: !isTls }, timeline, safely(resolve)))
  })
  if ('code' in outcome) throw ofData(outcome)
  const close = () => closeConnection(outcome)
  hold(close)
  const received = createCollector()
  const fail = () => received.end(protocolFault('the data connection failed'))
  outcome.onBytes = received.take
  outcome.onEnd = () => received.end()
  outcome.onError = fail
  return {
    close,
    async secure(tls) {
      // From now on only what is decrypted counts.
      outcome.onBytes = () => {}
      outcome.onEnd = () => {}
      const secured = await new Promise<TlsOutcome>((resolve) => {
        tools.tls.start(outcome, tls, timeline, safely(resolve))
      })
      if ('fault' in secured) throw ofData(secured.fault)
      outcome.onError = fail
      secured.socket.on('data', received.take)
      secured.socket.on('end', () => received.end())
      secured.socket.on('error', fail)
      secured.socket.on('close', () => received.end())
    },
    readAll() {
      timeline.begin('transfer')
      return received.whole().finally(() => timeline.endByEvent())
    },
  }
}

function createCollector() {
  const pieces: Buffer[] = []
  let length = 0
  let ended: { fault: CheckFault | undefined } | undefined
  let settle = () => {}
  const end = (fault?: CheckFault) => {
    ended ??= { fault }
    settle()
  }
  return {
    end,
    take(bytes: Buffer) {
      if (ended) return
      length += bytes.length
      if (length > MAX_BYTES) return end(protocolFault(`the data connection brought more than ${MAX_BYTES} bytes`))
      // They are overwritten when this returns.
      pieces.push(Buffer.from(bytes))
    },
    async whole(): Promise<Buffer> {
      if (!ended) await new Promise<void>((resolve) => (settle = resolve))
      if (ended?.fault) throw ended.fault
      return Buffer.concat(pieces)
    },
  }
}
