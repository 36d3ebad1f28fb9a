import type { DefinitionOf } from '@vedette/shared'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'

type ImapCheck = DefinitionOf<'imap'>

/** A session with a mailbox server, without a mailbox: STARTTLS, a login, NOOP and LOGOUT. */
export const imap: CheckKind<ImapCheck> = {
  type: 'imap',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, options, credentials }, attempt, tools) {
    const defaultPort = options.tls === 'implicit' ? 993 : 143
    const tls = options.tls === 'starttls' ? 'later' : options.tls
    converse(attempt, tools, { url, defaultPort, tls, verify: options.verify_tls }, async (conversation) => {
      const greeting = await greet(conversation, attempt.facts)
      const command = createCommands(conversation)
      if (options.tls === 'starttls') await startTls(conversation, command)
      await logIn(conversation, command, credentials)
      expectOk('NOOP', await command('NOOP'))
      conversation.write('z LOGOUT\r\n')
      return greeting
    })
  },
}

export async function greet(conversation: Conversation, facts: ProbeFacts): Promise<string> {
  const line = await conversation.readLine()
  facts.statusLine = readable(line)
  const [, status, text = ''] = /^\* (OK|PREAUTH|BYE)\b ?(.*)$/is.exec(line) ?? []
  if (status === undefined) throw protocolFault('the target does not speak IMAP')
  if (status.toUpperCase() === 'BYE') throw protocolFault(`the server refused the connection: ${readable(text)}`)
  return (facts.figures['greeting'] = readable(text, 300))
}

interface Completion {
  /** `OK`, `NO` or `BAD`. */
  status: string
  text: string
  /** Lines before the completion, without their mark. */
  untagged: string[]
}

/** Sends a command. `continuation` follows when the server asks for more. */
type Command = (line: string, continuation?: string) => Promise<Completion>

const MAX_LINES = 100

export function createCommands(conversation: Conversation): Command {
  let number = 0
  return async (line, continuation) => {
    const tag = `a${++number}`
    let more = continuation
    const untagged: string[] = []
    conversation.write(`${tag} ${line}\r\n`)
    for (;;) {
      const answer = await conversation.readLine()
      const [, mark, status = '', text = ''] = /^(\S+) ?(\S*) ?(.*)$/s.exec(answer) ?? []
      if (mark === tag) return { status: status.toUpperCase(), text: readable(text), untagged }
      if (mark === '+' && more !== undefined) {
        conversation.write(`${more}\r\n`)
        more = undefined
      } else if (mark === '*') untagged.push(answer.slice(2))
      else throw protocolFault('the target does not speak IMAP')
      if (untagged.length > MAX_LINES) throw protocolFault(`the server sent an answer of more than ${MAX_LINES} lines`)
    }
  }
}

function expectOk(line: string, { status, text }: Completion): void {
  if (status !== 'OK') throw protocolFault(`the server answered ${line} with ${readable(`${status} ${text}`)}`)
}

export async function startTls(conversation: Conversation, command: Command): Promise<void> {
  expectOk('STARTTLS', await command('STARTTLS'))
  await conversation.secure()
}

/** By AUTHENTICATE PLAIN, which takes any text, else by LOGIN; both send the password: over TLS only. */
async function logIn(
  conversation: Conversation,
  command: Command,
  { username = '', password = '' }: ImapCheck['credentials'],
): Promise<void> {
  if (username === '') return
  if (!conversation.tlsSocket) throw protocolFault('the login needs TLS')
  const capabilities = await command('CAPABILITY')
  expectOk('CAPABILITY', capabilities)
  const offered = new Set(capabilities.untagged.join(' ').toUpperCase().split(' '))
  const plain = Buffer.from(`\0${username}\0${password}`).toString('base64')
  const { status, text } = offered.has('AUTH=PLAIN')
    ? await command('AUTHENTICATE PLAIN', plain)
    : await command(`LOGIN ${quoted(username)} ${quoted(password)}`)
  // A code in brackets, as [AUTHENTICATIONFAILED], says why.
  if (status !== 'OK') throw loginRefused(/^\[([A-Z]{1,40})\]/.exec(text)?.[1] ?? readable(status, 10))
}

/** Line breaks and NUL were refused with the definition. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
