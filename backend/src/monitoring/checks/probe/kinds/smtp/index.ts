import { isIPv6 } from 'node:net'
import type { DefinitionOf } from '@vedette/shared'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'

type SmtpCheck = DefinitionOf<'smtp'>

/** A session with a mail server, without a mail: EHLO or HELO, STARTTLS, a login, NOOP and QUIT. */
export const smtp: CheckKind<SmtpCheck> = {
  type: 'smtp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, options, credentials }, attempt, tools) {
    const defaultPort = options.tls === 'implicit' ? 465 : 25
    const tls = options.tls === 'starttls' ? 'later' : options.tls
    converse(attempt, tools, { url, defaultPort, isMail: true, tls, verify: options.verify_tls }, async (conversation) => {
      const greeting = await greet(conversation, attempt.facts)
      if (options.tls === 'starttls') await startTls(conversation)
      const extensions = await hello(conversation)
      await logIn(conversation, extensions.get('AUTH') ?? '', credentials)
      await command(conversation, 'NOOP', 250)
      conversation.write('QUIT\r\n')
      return greeting
    })
  },
}

interface Reply {
  code: number
  lines: string[]
}

const MAX_LINES = 100

/** A reply of one or more lines (RFC 5321, 4.2). */
async function readReply(conversation: Conversation): Promise<Reply> {
  const lines: string[] = []
  for (;;) {
    const [, code, mark, text] = /^(\d{3})([ -]?)(.*)$/s.exec(await conversation.readLine()) ?? []
    if (code === undefined || text === undefined) throw protocolFault('the target does not speak SMTP')
    lines.push(text)
    if (mark !== '-') return { code: Number(code), lines }
    if (lines.length === MAX_LINES) throw protocolFault(`the server sent a reply of more than ${MAX_LINES} lines`)
  }
}

async function request(conversation: Conversation, line: string): Promise<Reply> {
  conversation.write(`${line}\r\n`)
  return readReply(conversation)
}

async function command(conversation: Conversation, line: string, expected: number): Promise<Reply> {
  const reply = await request(conversation, line)
  if (reply.code === expected) return reply
  throw protocolFault(`the server answered ${line.split(' ', 1)[0]} with ${textOf(reply)}`)
}

const textOf = ({ code, lines }: Reply): string => readable(`${code} ${lines.join(' ')}`)

/** The server speaks first. */
export async function greet(conversation: Conversation, facts: ProbeFacts): Promise<string> {
  const reply = await readReply(conversation)
  facts.statusLine = textOf(reply)
  if (reply.code !== 220) throw protocolFault(`the server refused the connection with ${textOf(reply)}`)
  return (facts.figures['greeting'] = readable(reply.lines.join(' '), 300))
}

/**
 * Extensions with their parameters, in upper case; none of a server that refuses EHLO and takes HELO (RFC 5321, 3.2). The name of this
 * host is its address, which needs no DNS.
 */
async function hello(conversation: Conversation): Promise<Map<string, string>> {
  const address = conversation.localAddress ?? '127.0.0.1'
  const name = `[${isIPv6(address) ? `IPv6:${address}` : address}]`
  const reply = await request(conversation, `EHLO ${name}`)
  if (reply.code >= 500) {
    await command(conversation, `HELO ${name}`, 250)
    return new Map()
  }
  if (reply.code !== 250) throw protocolFault(`the server answered EHLO with ${textOf(reply)}`)
  const { lines } = reply
  return new Map(
    lines.slice(1).map((line) => {
      const [name = '', ...parameters] = line.toUpperCase().split(' ')
      return [name, parameters.join(' ')]
    }),
  )
}

export async function startTls(conversation: Conversation): Promise<void> {
  const extensions = await hello(conversation)
  if (!extensions.has('STARTTLS')) throw protocolFault('the server does not offer STARTTLS')
  await command(conversation, 'STARTTLS', 220)
  await conversation.secure()
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** By PLAIN or LOGIN, which send the password: over TLS only. */
async function logIn(
  conversation: Conversation,
  methods: string,
  { username = '', password = '' }: SmtpCheck['credentials'],
): Promise<void> {
  if (username === '') return
  if (!conversation.tlsSocket) throw protocolFault('the login needs TLS')
  const answers = answersTo(methods.split(' '), username, password)
  if (!answers) throw protocolFault('the server offers neither AUTH PLAIN nor AUTH LOGIN')
  for (const [index, answer] of answers.entries()) {
    conversation.write(`${answer}\r\n`)
    const { code } = await readReply(conversation)
    if (code !== (index === answers.length - 1 ? 235 : 334)) throw loginRefused(String(code))
  }
}

function answersTo(offered: readonly string[], username: string, password: string): string[] | undefined {
  if (offered.includes('PLAIN')) return [`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`]
  return offered.includes('LOGIN') ? ['AUTH LOGIN', base64(username), base64(password)] : undefined
}
