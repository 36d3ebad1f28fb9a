import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls'
import { isIP } from 'node:net'
import type { Wire } from '../connect/wire.ts'
import { codeOf, type Fault } from '../fault.ts'
import type { Timeline } from '../timeline.ts'
import type { CertificateReader, Shown } from './certificate.ts'
import { certificateFault, handshakeFault } from './words.ts'

export interface TlsOptions {
  host: string
  verify: boolean
  protocol: 'http/1.1' | 'h2'
}

/** A connection that speaks TLS; its bytes come by its `data` events. */
export interface Secured {
  socket: TLSSocket
  certificate: Shown | undefined
}

export type TlsOutcome =
  | Secured
  /** `wantsOther`: the target refuses the protocol that was offered. The certificate is told although it was not accepted. */
  | { fault: Fault; certificate: Shown | undefined; wantsOther?: boolean }

export interface TlsLayer {
  /** Answers once, unless the wire is closed before. */
  start(wire: Wire, options: TlsOptions, timeline: Timeline, done: (outcome: TlsOutcome) => void): void
}

export function createTlsLayer(secureContext: SecureContext, certificates: CertificateReader): TlsLayer {
  return {
    start(wire, { host, verify, protocol }, timeline, done) {
      let isDone = false
      const finish = (outcome: TlsOutcome) => {
        if (isDone) return
        isDone = true
        done(outcome)
      }
      const socket = connect({
        socket: wire.socket,
        secureContext,
        ALPNProtocols: [protocol],
        // A name alone is announced; the identity of an address is judged by its certificate, below.
        ...(isIP(host) === 0 && { servername: host }),
        // Judged below, so that a refused certificate is still told.
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
      })
      // Node reads the whole chain into objects to hand it to the check that we do ourselves: a third of a check's time.
      socket.getPeerCertificate = () => NOT_READ
      wire.layer = socket
      timeline.begin('tls')
      const fail = (error: Error) => {
        if (isDone) return
        timeline.endByEvent()
        finish({ fault: handshakeFault(error), certificate: undefined, wantsOther: codeOf(error) === NO_PROTOCOL })
      }
      socket.on('error', fail)
      wire.onError = fail
      socket.once('close', () => fail(new Error('closed')))
      socket.once('secureConnect', () => {
        timeline.endByEvent()
        const shown = socket.getPeerX509Certificate()
        const certificate = shown && certificates.read(shown, host)
        const message = verify ? certificateFault(socket.authorizationError, certificate) : undefined
        if (message !== undefined) return finish({ fault: { code: 'tls', message }, certificate })
        finish({ socket, certificate })
      })
    },
  }
}

const NOT_READ = {} as DetailedPeerCertificate
const NO_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'
