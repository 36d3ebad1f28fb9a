import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { DefinitionOf } from '@vedette/shared'
import { closeConnection, type Connection } from '../../connect/connection.ts'
import type { Fault } from '../../phases/fault.ts'
import type { TlsOutcome } from '../../tls/handshake.ts'
import type { Attempt, CheckKind, ProbeTools } from '../kind.ts'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { negotiate, STARTTLS } from './starttls.ts'

type Definition = DefinitionOf<'tls'>

/** A handshake, and what the server shows in it. */
export const tls: CheckKind<Definition> = {
  type: 'tls',
  hostOf: ({ url }) => targetOfUrl(url, 443)?.host ?? '',
  start(definition, attempt, tools) {
    const { starttls } = definition.options
    const protocol = starttls === 'none' ? undefined : STARTTLS[starttls]
    const target = targetOfUrl(definition.url, protocol?.port ?? 443)
    if (!target) return attempt.fail(NO_HOST)
    const proceed = attempt.safely((outcome: Connection | Fault) => {
      if ('code' in outcome) return attempt.fail(outcome)
      attempt.facts.address = outcome.address
      attempt.hold(() => closeConnection(outcome))
      if (!protocol) return secure(definition, target.host, attempt, tools, outcome)
      const upgrade = attempt.safely((fault?: Fault) => {
        if (fault) attempt.fail(fault)
        else secure(definition, target.host, attempt, tools, outcome)
      })
      negotiate(protocol, outcome, attempt.timeline, upgrade)
    })
    attempt.hold(tools.connector.connect({ ...target, plain: protocol !== undefined }, attempt.timeline, proceed))
  },
}

function secure({ options }: Definition, host: string, attempt: Attempt, tools: ProbeTools, connection: Connection): void {
  const { facts, timeline } = attempt
  const name = options.server_name === '' ? host : options.server_name
  const proceed = attempt.safely((outcome: TlsOutcome) => {
    if (outcome.certificate) facts.certificate = outcome.certificate
    if ('fault' in outcome) return attempt.fail(outcome.fault)
    const { socket } = outcome
    facts.figures = {
      tls_protocol: socket.getProtocol() ?? '',
      cipher: socket.getCipher().standardName,
      chain_length: chainLengthOf(socket),
    }
    attempt.answer({ headers: new Map(), body: Buffer.alloc(0) })
  })
  tools.tls.start(connection, { host: name, verify: options.verify_tls }, timeline, proceed)
}

const MAX_CHAIN_LENGTH = 20

/** Certificates that lead from the server's own to its last issuer, as far as it sent them. */
function chainLengthOf(socket: TLSSocket): number {
  let length = 0
  for (
    let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
    certificate && length < MAX_CHAIN_LENGTH;
    certificate = certificate.issuerCertificate
  )
    length += 1
  return length
}
