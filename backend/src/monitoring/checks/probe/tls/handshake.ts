import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls'
import { isIP } from 'node:net'
import type { Connection } from '../connect/connection.ts'
import { codeOf, type Fault } from '../phases/fault.ts'
import type { Timeline } from '../phases/timeline.ts'
import type { CertificateReader, PeerCertificateFacts } from './certificate.ts'
import type { ClientCertificate, TlsContexts } from './context.ts'
import { certificateFault, handshakeFault } from './messages.ts'

export interface TlsOptions {
  host: string
  verify: boolean
  /** Offered by ALPN; undefined: none. */
  protocol?: 'http/1.1' | 'h2'
  /** Offered instead; one of them must be chosen, unless the kind knows better. */
  alpn?: readonly string[]
  clientCertificate?: ClientCertificate
  /** Of another connection to the same host, to be resumed. */
  session?: Buffer | undefined
}

/** A TLS connection; its bytes arrive as `data` events. */
export interface Secured {
  socket: TLSSocket
  certificate: PeerCertificateFacts | undefined
}

export type TlsOutcome =
  | Secured
  /** `wantsOther`: the target refused the offered protocol. A refused certificate is reported as well. */
  | { fault: Fault; certificate: PeerCertificateFacts | undefined; wantsOther?: boolean }

export interface TlsLayer {
  /** Calls back once, unless the connection is closed before. */
  start(connection: Connection, options: TlsOptions, timeline: Timeline, done: (outcome: TlsOutcome) => void): void
}

export function createTlsLayer(contexts: TlsContexts, certificates: CertificateReader): TlsLayer {
  return {
    start(
      connection,
      { host, verify, protocol, alpn = protocol === undefined ? [] : [protocol], clientCertificate, session },
      timeline,
      done,
    ) {
      let isDone = false
      const finish = (outcome: TlsOutcome) => {
        if (isDone) return
        isDone = true
        done(outcome)
      }
      const secureContext = contextOf(contexts, clientCertificate)
      if ('code' in secureContext) return finish({ fault: secureContext, certificate: undefined })
      const socket = connect({
        socket: connection.socket,
        secureContext,
        ...(session && { session }),
        ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }),
        // Only names are sent as SNI; the certificate of an address is verified below.
        ...(isIP(host) === 0 && { servername: host }),
        // Its answer says whether the certificate was revoked; most targets send none.
        requestOCSP: true,
        // Verified below, so that a refused certificate is reported.
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
      })
      // Node would convert the whole chain to objects for a check that is done below: a third of a check's time.
      socket.getPeerCertificate = () => NOT_READ
      connection.layer = socket
      timeline.begin('tls')
      const fail = (error: Error) => {
        if (isDone) return
        timeline.endByEvent()
        finish({ fault: handshakeFault(error), certificate: undefined, wantsOther: codeOf(error) === NO_PROTOCOL })
      }
      socket.on('error', fail)
      connection.onError = fail
      socket.once('close', () => fail(new Error('closed')))
      let stapled: Buffer | undefined
      socket.once('OCSPResponse', (response: Buffer | null) => {
        stapled = response ?? undefined
      })
      socket.once('secureConnect', () => {
        timeline.endByEvent()
        const certificate = certificates.read(socket, host, stapled)
        // A target that resumes a session shows no certificate again: that of the first connection was verified.
        const isVerified = session !== undefined && socket.isSessionReused()
        const message = verify && !isVerified ? certificateFault(socket.authorizationError, certificate) : undefined
        if (message !== undefined) return finish({ fault: { code: 'tls', message }, certificate })
        finish({ socket, certificate })
      })
    },
  }
}

function contextOf(contexts: TlsContexts, client: ClientCertificate | undefined): SecureContext | Fault {
  try {
    return contexts(client)
  } catch (error) {
    const message = `the client certificate cannot be used with its key: ${codeOf(error as Error) || 'not PEM'}`
    return { code: 'tls', message, isOfDefinition: true }
  }
}

const NOT_READ = {} as DetailedPeerCertificate
const NO_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'
