import type { DefinitionOf } from '@vedette/shared'
import { CheckFault, loginRefused } from '../conversation/check-fault.ts'
import { type Conversation, converse } from '../conversation/conversation.ts'
import { bodyLengthOf, type Head, parseHead, readHeadLines } from '../conversation/head.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { authorizationFor } from './authorization.ts'

type Definition = DefinitionOf<'rtsp'>

/** An OPTIONS or DESCRIBE request (RFC 2326, RFC 7826), which starts no stream. */
export const rtsp: CheckKind<Definition> = {
  type: 'rtsp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options, credentials } = definition
    const isSecure = url.startsWith('rtsps:')
    const target = { url, defaultPort: isSecure ? 322 : 554, verify: options.verify_tls }
    converse(attempt, tools, { ...target, tls: isSecure ? 'implicit' : 'off' }, async (conversation) => {
      const { username = '', password = '' } = credentials
      let answer = await request(conversation, definition, 1)
      if (answer.head.status === 401 && username !== '') {
        const challenge = answer.head.headers.get('www-authenticate') ?? ''
        const authorization = authorizationFor(challenge, { username, password, method: options.method, uri: url })
        if (authorization === undefined)
          throw new CheckFault('protocol', 'the server wants another login than Basic or Digest with MD5 or SHA-256')
        answer = await request(conversation, definition, 2, authorization)
        if (answer.head.status === 401) throw loginRefused('401')
      }
      const { head, body } = answer
      const { facts } = attempt
      facts.statusCode = head.status
      facts.statusLine = head.statusLine
      const server = head.headers.get('server')
      const methods = head.headers.get('public')
      if (server !== undefined) facts.figures['server_version'] = readable(server, 300)
      if (methods !== undefined) facts.figures['methods'] = readable(methods, 300)
      if (options.method === 'DESCRIBE' && head.status === 200) facts.figures['media'] = readable(mediaIn(body), 300)
      return { body, headers: head.headers }
    })
  },
}

const PROTOCOL = 'RTSP'
const VERSION = /^RTSP\/[12]\.\d$/

async function request(
  conversation: Conversation,
  { url, options }: Definition,
  sequence: number,
  authorization?: string,
): Promise<{ head: Head; body: string }> {
  const lines = [
    `${options.method} ${url} RTSP/1.0`,
    `CSeq: ${sequence}`,
    ...(options.method === 'DESCRIBE' ? ['Accept: application/sdp'] : []),
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    'User-Agent: vedette',
  ]
  conversation.write(`${lines.join('\r\n')}\r\n\r\n`)
  const head = parseHead(await readHeadLines(conversation.readLine, PROTOCOL), VERSION, PROTOCOL)
  const length = bodyLengthOf(head, PROTOCOL)
  return { head, body: length === 0 ? '' : (await conversation.read(length)).toString() }
}

/** `video H264, audio MPEG4-GENERIC`: each stream of a description (RFC 8866) with its encoding where it has a name. Pure. */
export function mediaIn(description: string): string {
  const media: { kind: string; encoding?: string }[] = []
  for (const line of description.split(/\r?\n/)) {
    const kind = /^m=([a-z]+) /.exec(line)?.[1]
    if (kind !== undefined) media.push({ kind })
    const encoding = /^a=rtpmap:\d+ ([^/\s]+)/.exec(line)?.[1]
    const last = media.at(-1)
    if (encoding !== undefined && last && last.encoding === undefined) last.encoding = encoding
  }
  return media.map(({ kind, encoding }) => (encoding === undefined ? kind : `${kind} ${encoding}`)).join(', ')
}
