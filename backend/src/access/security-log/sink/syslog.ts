import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { InstallationSecurityEvent } from '../wire.ts'
import { after } from '../../../platform/time/monotonic.ts'

/** Facility 10, security; severities of RFC 5424. */
const FACILITY = 10
const [WARNING, INFORMATIONAL] = [4, 6]
const FAILURE = /\.(failed|wrong|refused)$/
const MSGID_LENGTH = 32

/** One event as RFC 5424 has it, with its length before it (RFC 6587). The message is JSON in ASCII. Pure. */
export function toSyslogFrame(event: InstallationSecurityEvent, host = hostname()): string {
  const priority = FACILITY * 8 + (FAILURE.test(event.type) ? WARNING : INFORMATIONAL)
  const origin = host.replaceAll(/[^!-~]/g, '').slice(0, 255) || '-'
  const message = toAscii(JSON.stringify(event))
  const text = `<${priority}>1 ${event.at} ${origin} vedette - ${event.type.slice(0, MSGID_LENGTH)} - ${message}`
  return `${text.length} ${text}`
}

const toAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

export interface SyslogTarget {
  host: string
  port: number
  isTls: boolean
  /** Trusted instead of the public authorities. */
  ca?: string | undefined
}

/**
 * Sends frames over one connection. Syslog acknowledges nothing, so they count as received when the server has read to the end and
 * closes the connection without an error. Rejects otherwise, and when that takes longer than `limitMs`.
 */
export function sendSyslog(target: SyslogTarget, frames: readonly string[], signal: AbortSignal, limitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open(target)
    let isWritten = false
    const fail = (message: string) => socket.destroy(new Error(message))
    const timer = after(limitMs, () => fail(`the syslog server took longer than ${limitMs / 1_000} s`), { isKeptAlive: true })
    const abort = () => fail('the program ends')
    signal.addEventListener('abort', abort)
    let failure: Error | undefined
    socket.on('error', (error) => (failure = error))
    socket.on('end', () => isWritten || fail('the syslog server closed the connection too early'))
    socket.on('close', () => {
      timer.cancel()
      signal.removeEventListener('abort', abort)
      if (failure) reject(failure)
      else resolve()
    })
    socket.once(target.isTls ? 'secureConnect' : 'connect', () => {
      socket.end(frames.join(''), () => (isWritten = true))
      // Whatever the server says is read, else its end is not noticed.
      socket.resume()
    })
    if (signal.aborted) abort()
  })
}

function open({ host, port, isTls, ca }: SyslogTarget): Socket {
  return isTls ? connectTls({ host, port, ...(ca === undefined ? {} : { ca }) }) : connect({ host, port })
}
