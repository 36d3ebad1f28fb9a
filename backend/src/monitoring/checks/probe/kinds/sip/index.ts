import { isIPv6 } from 'node:net'
import type { DefinitionOf } from '@vedette/shared'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse } from '../conversation/conversation.ts'
import { converseByDatagrams, type Datagrams } from '../conversation/datagram.ts'
import { bodyLengthOf, type Head, parseHead, readHeadLines } from '../conversation/head.ts'
import { readable } from '../conversation/readable.ts'
import type { Talked } from '../conversation/run-talk.ts'
import type { Attempt, CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'

type Definition = DefinitionOf<'sip'>

/** An OPTIONS request (RFC 3261, section 11), which rings nobody. Its final response is the answer. */
export const sip: CheckKind<Definition> = {
  type: 'sip',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, timeout, options } = definition
    const isSecure = url.startsWith('sips:')
    if (options.transport === 'udp' && !isSecure) {
      const target = { url, defaultPort: 5_060, timeout, retries: 3 }
      return converseByDatagrams(attempt, tools, target, (datagrams) => byDatagrams(datagrams, definition, attempt))
    }
    const target = { url, defaultPort: isSecure ? 5_061 : 5_060, verify: options.verify_tls }
    converse(attempt, tools, { ...target, tls: isSecure ? 'implicit' : 'off' }, (conversation) =>
      byStream(conversation, definition, attempt, isSecure ? 'TLS' : 'TCP'),
    )
  },
}

const PROTOCOL = 'SIP'
const VERSION = /^SIP\/2\.0$/

function byDatagrams({ request }: Datagrams, definition: Definition, attempt: Attempt): Promise<Talked> {
  const call = newCall()
  return request(
    ({ localAddress, localPort }) => requestOf(definition, call, 'UDP', hostPort(localAddress, localPort)),
    (datagram) => {
      const text = datagram.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const head = parseHead((end === -1 ? text : text.slice(0, end)).split(/\r?\n/), VERSION, PROTOCOL)
      return isFinal(head, call) ? finish(attempt.facts, head, end === -1 ? '' : text.slice(end + 4)) : undefined
    },
  )
}

/** Provisional responses, and those to other requests, before the final one. */
const MAX_RESPONSES = 20

async function byStream(
  conversation: Conversation,
  definition: Definition,
  attempt: Attempt,
  transport: 'TCP' | 'TLS',
): Promise<Talked> {
  const call = newCall()
  conversation.write(requestOf(definition, call, transport, hostPort(conversation.localAddress ?? '127.0.0.1', 5_060)))
  for (let responses = 1; ; responses += 1) {
    const head = parseHead(await readHeadLines(conversation.readLine, PROTOCOL), VERSION, PROTOCOL)
    const length = bodyLengthOf(head, PROTOCOL)
    const body = length === 0 ? '' : (await conversation.read(length)).toString('latin1')
    if (isFinal(head, call)) return finish(attempt.facts, head, body)
    if (responses >= MAX_RESPONSES) throw protocolFault(`the target sent more than ${MAX_RESPONSES} messages`)
  }
}

const hostPort = (address: string, port: number): string => `${isIPv6(address) ? `[${address}]` : address}:${port}`

interface Call {
  id: string
  branch: string
  tag: string
}

/** A response with another id answers another request, such as one of an earlier check. */
function newCall(): Call {
  const random = randomBytes(24).toString('hex')
  return { id: random.slice(0, 24), branch: `z9hG4bK${random.slice(24, 40)}`, tag: random.slice(40) }
}

function requestOf({ url, options }: Definition, call: Call, transport: string, own: string): Buffer {
  const { protocol, host } = new URL(url)
  const address = `${protocol}${options.user === '' ? '' : `${options.user}@`}${host}`
  const lines = [
    `OPTIONS ${address} SIP/2.0`,
    `Via: SIP/2.0/${transport} ${own};branch=${call.branch};rport`,
    'Max-Forwards: 70',
    `From: <sip:vedette@${own}>;tag=${call.tag}`,
    `To: <${address}>`,
    `Call-ID: ${call.id}`,
    'CSeq: 1 OPTIONS',
    `Contact: <sip:vedette@${own}>`,
    'Accept: application/sdp',
    'Content-Length: 0',
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

/** The final response of this request. Headers may have their short names (section 7.3.3). */
const isFinal = ({ status, headers }: Head, call: Call): boolean =>
  status >= 200 &&
  (headers.get('call-id') ?? headers.get('i')) === call.id &&
  /^1\s+OPTIONS$/.test(headers.get('cseq') ?? '') &&
  (headers.get('via') ?? headers.get('v') ?? '').includes(call.branch)

function finish(facts: ProbeFacts, { status, statusLine, headers }: Head, body: string): Talked {
  facts.statusCode = status
  facts.statusLine = statusLine
  const server = headers.get('server') ?? headers.get('user-agent')
  const methods = headers.get('allow')
  if (server !== undefined) facts.figures['server_version'] = readable(server, 300)
  if (methods !== undefined) facts.figures['methods'] = readable(methods, 300)
  return { body, headers }
}
