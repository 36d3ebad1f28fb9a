import type { Agent, AgentOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'

type Connected = (error: Error | null, socket: Duplex) => void

/**
 * An agent that trusts one certificate and no authority. A request gets its connection only after the certificate was seen to
 * be that one, so that no token goes to another.
 */
export function createPinnedAgent(options: AgentOptions, fingerprint: string): Agent {
  const { Agent: HttpsAgent } = process.getBuiltinModule('node:https')
  class PinnedAgent extends HttpsAgent {
    override createConnection(connection: AgentOptions, connected: Connected): undefined {
      let isTold = false
      const tell: Connected = (error, socket) => {
        if (!isTold) connected(error, socket)
        isTold = true
      }
      const judge = (socket: TLSSocket) => {
        const fault = faultOf(socket, fingerprint)
        tell(fault ?? null, socket)
        if (fault) socket.destroy()
      }
      // Behind a proxy the tunnel is made first, and the secured socket comes by the callback.
      const direct = super.createConnection(connection, (error, socket) => {
        if (error) tell(error, socket)
        else if (socket !== direct) judge(socket as TLSSocket)
      })
      if (!isSecure(direct)) return undefined
      direct.once('error', (error) => tell(error, direct))
      direct.once('close', () => tell(new Error('the connection broke before it was secure'), direct))
      direct.once('secureConnect', () => judge(direct))
      return undefined
    }
  }
  // No session of an earlier connection is taken up again: each shows its certificate.
  return new PinnedAgent({ ...options, rejectUnauthorized: false, maxCachedSessions: 0 })
}

function isSecure(socket: Duplex | null | undefined): socket is TLSSocket {
  return socket !== null && socket !== undefined && 'getPeerCertificate' in socket
}

function faultOf(socket: TLSSocket, fingerprint: string): Error | undefined {
  const found = normalizeFingerprint(socket.getPeerCertificate().fingerprint256 ?? '')
  if (found === fingerprint) return undefined
  return new Error(`the certificate is not the pinned one: its SHA-256 is ${found || 'unknown'}`)
}

/** 64 lower-case hex digits, however it was written; undefined for anything else. */
export function normalizeFingerprint(text: string): string | undefined {
  const digits = text.replaceAll(':', '').toLowerCase()
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined
}
