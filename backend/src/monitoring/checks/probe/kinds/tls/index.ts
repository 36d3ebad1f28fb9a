import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { DefinitionOf } from '@vedette/shared'
import { converse } from '../conversation/conversation.ts'
import type { CheckKind } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { STARTTLS } from './starttls.ts'

type Definition = DefinitionOf<'tls'>

/** A handshake, and what the server shows in it. The time of STARTTLS is part of the phase `tls`. */
export const tls: CheckKind<Definition> = {
  type: 'tls',
  hostOf: ({ url }) => targetOfUrl(url, 443)?.host ?? '',
  start({ url, options }, attempt, tools) {
    const { port: defaultPort, open } = STARTTLS[options.starttls]
    const serverName = options.server_name === '' ? undefined : options.server_name
    const target = { url, defaultPort, verify: options.verify_tls, serverName, phase: 'tls' } as const
    converse(attempt, tools, { ...target, tls: options.starttls === 'none' ? 'implicit' : 'later' }, async (conversation) => {
      await open(conversation)
      if (conversation.tlsSocket) attempt.facts.figures = figuresOf(conversation.tlsSocket)
      return ''
    })
  },
}

const figuresOf = (socket: TLSSocket) => ({
  tls_protocol: socket.getProtocol() ?? '',
  cipher: socket.getCipher().standardName,
  chain_length: chainLengthOf(socket),
  ...(typeof socket.alpnProtocol === 'string' && { alpn: socket.alpnProtocol }),
})

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
