import type { DefinitionOf } from '@vedette/shared'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import { converseByDatagrams } from '../conversation/datagram.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { ACCESS_REQUEST, decodeReply, encodeRequest, replyName, STATUS_SERVER } from './packets.ts'

type RadiusCheck = DefinitionOf<'radius'>

/** A login by a RADIUS server (RFC 2865, PAP), or its state without a user name (RFC 5997). */
export const radius: CheckKind<RadiusCheck> = {
  type: 'radius',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, timeout, options, credentials, assertions }, attempt, tools) {
    const { shared_secret: secret = '', username = '', password = '' } = credentials
    converseByDatagrams(attempt, tools, { url, defaultPort: 1_812, timeout }, async (datagrams) => {
      // A repeated request is the same one: the server need not work twice (RFC 5080, 2.2.1).
      const [identifier = 0] = randomBytes(1)
      const authenticator = randomBytes(16)
      const code = username === '' ? STATUS_SERVER : ACCESS_REQUEST
      const login = username === '' ? undefined : { username, password }
      const bytes = encodeRequest({ code, identifier, authenticator, secret, login, nasIdentifier: options.nas_identifier })
      const expected = { identifier, authenticator, secret, isSigned: options.require_message_authenticator }
      const reply = await datagrams.request(bytes, (answer) => decodeReply(answer, expected))
      const name = replyName(reply.code)
      attempt.facts.statusLine = readable(`${name} ${reply.message}`)
      attempt.facts.figures['reply'] = name
      if (reply.message !== '') attempt.facts.figures['reply_message'] = readable(reply.message, 300)
      if (name !== 'Access-Accept' && !assertions.some(({ type }) => type === 'reply')) throw refusalOf(name)
      return ''
    })
  },
}

function refusalOf(name: string) {
  if (name === 'Access-Reject') return loginRefused(name)
  return protocolFault(`the server replied ${name} in place of Access-Accept`)
}
