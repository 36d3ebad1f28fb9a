import type { CredentialValues } from '@vedette/shared'
import type { CheckFault } from '../conversation/check-fault.ts'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { ProbeFacts } from '../kind.ts'

export interface Reply {
  code: number
  lines: string[]
}

const MAX_LINES = 500

/** A reply ends with the line that has its code again, followed by a blank; lines between them may have none (RFC 959, 4.2). */
export async function readReply(conversation: Conversation): Promise<Reply> {
  const first = await conversation.readLine()
  const [, code, mark, text] = /^([1-6]\d\d)([ -]|$)(.*)$/s.exec(first) ?? []
  if (code === undefined || text === undefined) throw protocolFault('the target does not speak FTP')
  const lines = [text]
  let isOpen = mark === '-'
  while (isOpen) {
    if (lines.length === MAX_LINES) throw protocolFault(`the server sent a reply of more than ${MAX_LINES} lines`)
    const line = await conversation.readLine()
    isOpen = !line.startsWith(`${code} `)
    lines.push(isOpen ? line : line.slice(4))
  }
  return { code: Number(code), lines }
}

export async function request(conversation: Conversation, line: string): Promise<Reply> {
  conversation.write(`${line}\r\n`)
  return readReply(conversation)
}

const textOf = ({ code, lines }: Reply): string => readable(`${code} ${lines.join(' ')}`)

export const refused = (name: string, reply: Reply): CheckFault =>
  protocolFault(`the server answered ${name} with ${textOf(reply)}`)

export async function command(conversation: Conversation, line: string, expected: number): Promise<void> {
  const reply = await request(conversation, line)
  if (reply.code !== expected) throw refused(line.split(' ', 1)[0] as string, reply)
}

/** The server speaks first. */
export async function greet(conversation: Conversation, facts: ProbeFacts): Promise<string> {
  const reply = await readReply(conversation)
  facts.statusLine = textOf(reply)
  if (reply.code !== 220) throw protocolFault(`the server refused the connection with ${textOf(reply)}`)
  return (facts.figures['greeting'] = readable(reply.lines.join(' '), 300))
}

/** RFC 4217. */
export async function startTls(conversation: Conversation): Promise<void> {
  const reply = await request(conversation, 'AUTH TLS')
  if (reply.code >= 500) throw protocolFault(`the server does not offer TLS: ${textOf(reply)}`)
  if (reply.code !== 234) throw refused('AUTH TLS', reply)
  await conversation.secure()
}

export async function logIn(
  conversation: Conversation,
  { username = '', password = '' }: CredentialValues<Record<'username' | 'password', unknown>>,
): Promise<void> {
  if (username === '') return
  const reply = await request(conversation, `USER ${username}`)
  const last = reply.code === 331 ? await request(conversation, `PASS ${password}`) : reply
  if (last.code === 331 || last.code === 332) throw protocolFault('the server asks for an account, which the probe does not have')
  if (last.code !== 230 && last.code !== 202) throw loginRefused(String(last.code))
}
