import type { DefinitionOf } from '@vedette/shared'
import { cellOf } from '../conversation/cell.ts'
import { CheckFault, loginRefused, protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse, pathNameOf } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'

type RedisCheck = DefinitionOf<'redis'>

/** A login to Redis, or to a server with its protocol, and one command that only reads. */
export const redis: CheckKind<RedisCheck> = {
  type: 'redis',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, options, credentials }, attempt, tools) {
    const target = { url, defaultPort: 6379, verify: options.verify_tls }
    converse(attempt, tools, { ...target, tls: options.tls === 'required' ? 'implicit' : 'off' }, async (conversation) => {
      await logIn(conversation, credentials)
      const database = pathNameOf(url)
      if (database !== '') await call(conversation, ['SELECT', database])
      const text = await read(conversation, options.command.trim().split(/\s+/))
      if (text !== undefined) attempt.facts.figures['cell'] = cellOf(text, DECIMAL.test(text))
      return text ?? ''
    })
  },
}

async function logIn(conversation: Conversation, { username = '', password = '' }: RedisCheck['credentials']): Promise<void> {
  if (password === '') return
  try {
    await call(conversation, username === '' ? ['AUTH', password] : ['AUTH', username, password])
  } catch (error) {
    throw error instanceof RefusedCommand ? loginRefused(error.reason) : error
  }
}

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,9})?$/

/** What the command returns; undefined for a missing key or field. `INFO` has its field as the second word. */
async function read(conversation: Conversation, words: readonly string[]): Promise<string | undefined> {
  const [name = '', field = ''] = words
  if (name.toUpperCase() !== 'INFO') return call(conversation, words)
  const lines = (await call(conversation, ['INFO']))?.split('\r\n')
  return lines?.find((line) => line.startsWith(`${field}:`))?.slice(field.length + 1)
}

class RefusedCommand extends CheckFault {
  /** As `WRONGPASS`. */
  readonly reason: string
  constructor(line: string) {
    const reason = readable(line.split(' ', 1)[0] ?? '', 20)
    super('protocol', reason === 'NOAUTH' ? 'the server asks for a login' : `the server refused the command: ${readable(line)}`)
    this.reason = reason
  }
}

/** Sends a command and reads its reply in RESP2: a line or a text; no command of ours returns a list. */
async function call(conversation: Conversation, words: readonly string[]): Promise<string | undefined> {
  conversation.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`)
  const line = await conversation.readLine()
  const [type, value] = [line[0], line.slice(1)]
  if (type === '-') throw new RefusedCommand(value)
  if (type === '+' || type === ':') return value
  if (line === '$-1') return undefined
  if (type !== '$' || !/^\d{1,9}$/.test(value)) throw protocolFault(NO_REDIS)
  const bytes = await conversation.read(Number(value) + 2)
  if (bytes.toString('latin1', bytes.length - 2) !== '\r\n') throw protocolFault(NO_REDIS)
  return bytes.toString('utf8', 0, bytes.length - 2)
}

const NO_REDIS = 'the target does not speak the protocol of Redis'
