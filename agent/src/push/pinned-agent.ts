import type { Agent, AgentOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'

type Connected = (error: Error | null, socket: Duplex) => void

/**
 * An HTTPS agent that trusts one certificate and no authority. A request gets its connection only after the certificate was
 * verified, so that no token reaches another server.
 */
export function createPinnedAgent(options: AgentOptions, fingerprint: string): Agent {
  const { Agent: HttpsAgent } = process.getBuiltinModule('node:https')
  class PinnedAgent extends HttpsAgent {
    override createConnection(connection: AgentOptions, connected: Connected): undefined {
      let isReported = false
      const report: Connected = (error, socket) => {
        if (!isReported) connected(error, socket)
        isReported = true
      }
      const verify = (socket: TLSSocket) => {
        const fault = faultOf(socket, fingerprint)
        report(fault ?? null, socket)
        if (fault) socket.destroy()
      }
      // Behind a proxy the tunnel is opened first, and the callback gets the TLS socket.
      const direct = super.createConnection(connection, (error, socket) => {
        if (error) report(error, socket)
        else if (socket !== direct) verify(socket as TLSSocket)
      })
      if (!isSecure(direct)) return undefined
      direct.once('error', (error) => report(error, direct))
      direct.once('close', () => report(new Error('the connection was closed during the TLS handshake'), direct))
      direct.once('secureConnect', () => verify(direct))
      return undefined
    }
  }
  // Without session reuse every connection presents its certificate.
  return new PinnedAgent({ ...options, rejectUnauthorized: false, maxCachedSessions: 0 })
}

function isSecure(socket: Duplex | null | undefined): socket is TLSSocket {
  return socket !== null && socket !== undefined && 'getPeerCertificate' in socket
}

function faultOf(socket: TLSSocket, fingerprint: string): Error | undefined {
  const actual = normalizeFingerprint(socket.getPeerCertificate().fingerprint256 ?? '')
  if (actual === fingerprint) return undefined
  return new Error(`the certificate is not the pinned one: its SHA-256 is ${actual || 'unknown'}`)
}

/** A fingerprint as 64 lower-case hex digits; undefined for anything else. */
export function normalizeFingerprint(text: string): string | undefined {
  const digits = text.replaceAll(':', '').toLowerCase()
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined
}
