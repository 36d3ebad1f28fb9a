import { createHash } from 'node:crypto'
import type { DefinitionOf } from '@vedette/shared'
import { MAX_DATABASE_ROWS } from '@vedette/shared/checks/limits'
import { cellOf } from '../conversation/cell.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse, pathNameOf } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import * as messages from './messages.ts'
import { createScram } from '../conversation/scram.ts'

type PostgresCheck = DefinitionOf<'postgres'>

/** A login to PostgreSQL and one query in a read-only transaction. */
export const postgres: CheckKind<PostgresCheck> = {
  type: 'postgres',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options, timeout } = definition
    const isTls = options.tls === 'required'
    const target = { url, defaultPort: 5432, verify: options.verify_tls }
    converse(attempt, tools, { ...target, tls: isTls ? 'later' : 'off' }, async (conversation) => {
      if (isTls) await startTls(conversation)
      await logIn(conversation, definition, pathNameOf(url), attempt.facts)
      const cell = await runQuery(conversation, options.query, timeout, attempt.facts.figures)
      conversation.write(messages.TERMINATE)
      return cell
    })
  },
}

export async function startTls(conversation: Conversation): Promise<void> {
  conversation.write(messages.TLS_REQUEST)
  const answer = (await conversation.read(1)).toString('latin1')
  if (answer === 'N') throw protocolFault('the server does not offer TLS')
  if (answer !== 'S') throw protocolFault('the target does not speak the protocol of PostgreSQL')
  await conversation.secure()
}

async function logIn(
  conversation: Conversation,
  { credentials: { username = '', password = '' } }: PostgresCheck,
  database: string,
  facts: ProbeFacts,
): Promise<void> {
  const parameters = { user: username, database: database || username, application_name: 'vedette', client_encoding: 'UTF8' }
  conversation.write(messages.startUp(parameters))
  for (;;) {
    const message = await messages.nextMessage(conversation, (name, value) => {
      if (name !== 'server_version') return
      facts.figures['server_version'] = readable(value, 100)
      facts.statusLine = `PostgreSQL ${readable(value, 100)}`
    })
    if (message.type === 'E') throw messages.errorOf(message, 'the server refused the connection')
    if (message.type === 'Z') return
    // The server may name an older version of the protocol.
    if (message.type === 'v') continue
    if (message.type !== 'R') throw unexpected(message)
    await authenticate(conversation, message, username, password)
  }
}

const OK = 0
const CLEARTEXT = 3
const MD5 = 5
const SASL = 10
const SASL_CONTINUE = 11
const SASL_FINAL = 12

async function authenticate(
  conversation: Conversation,
  { fields }: messages.Message,
  username: string,
  password: string,
): Promise<void> {
  const method = fields.uint32Be()
  if (method === OK) return
  if (password === '') throw protocolFault('the server asks for a password, and none is configured')
  if (method === MD5) {
    const inner = md5(Buffer.from(password + username))
    conversation.write(messages.password(messages.text(`md5${md5(Buffer.concat([Buffer.from(inner), fields.bytes(4)]))}`)))
  } else if (method === CLEARTEXT) {
    if (!conversation.tlsSocket) throw protocolFault('the server asks for the password in plain text, which needs TLS')
    conversation.write(messages.password(messages.text(password)))
  } else if (method === SASL && fields.rest().toString().split('\0').includes('SCRAM-SHA-256')) {
    await logInByScram(conversation, password)
  } else throw protocolFault(`the server asks for a login that the probe does not have (${method})`)
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

async function logInByScram(conversation: Conversation, password: string): Promise<void> {
  const scram = createScram(password)
  const saslMessage = async (wanted: number) => {
    const message = await messages.nextMessage(conversation)
    if (message.type === 'E') throw messages.errorOf(message, 'the server refused the login')
    if (message.type !== 'R' || message.fields.uint32Be() !== wanted) throw unexpected(message)
    return message.fields.rest().toString()
  }
  conversation.write(messages.saslStart('SCRAM-SHA-256', scram.first))
  conversation.write(messages.password(Buffer.from(await scram.respond(await saslMessage(SASL_CONTINUE)))))
  scram.verify(await saslMessage(SASL_FINAL))
}

/**
 * Returns the first cell. The transaction is read-only, and only a statement that returns rows is executed: no `copy … to program`
 * and no block of a language that could end the transaction. The portal returns a bounded number of rows.
 */
async function runQuery(
  conversation: Conversation,
  statement: string,
  timeoutSeconds: number,
  figures: ProbeFacts['figures'],
): Promise<string> {
  const begin = `begin transaction read only; set local statement_timeout = ${timeoutSeconds * 1_000}`
  conversation.write(Buffer.concat([messages.query(begin), messages.parse(statement), messages.DESCRIBE, messages.SYNC]))
  await answerOf(conversation, {})
  let isNumeric = false
  await answerOf(conversation, {
    T: (fields) => void (isNumeric = hasNumberFirst(fields)),
    n: () => {
      throw protocolFault('the query returns no rows, so it was not executed')
    },
  })
  conversation.write(Buffer.concat([messages.BIND, messages.execute(MAX_DATABASE_ROWS), messages.SYNC]))
  let rows = 0
  let first: Buffer | undefined
  await answerOf(conversation, {
    D: (fields) => {
      if (++rows === 1) first = firstCell(fields)
    },
  })
  figures['rows'] = rows
  if (first) figures['cell'] = cellOf(first, isNumeric)
  return first?.toString() ?? ''
}

/** Messages of an answer that carry nothing: completions, parameters and a portal that has more rows. */
const EMPTY_MESSAGES = '12tTDCsI'

/** Reads up to `ReadyForQuery`. */
async function answerOf(
  conversation: Conversation,
  on: Partial<Record<string, (fields: messages.Message['fields']) => void>>,
): Promise<void> {
  for (;;) {
    const message = await messages.nextMessage(conversation)
    if (message.type === 'E') throw messages.errorOf(message, 'the query failed')
    if (message.type === 'Z') return
    const handler = on[message.type]
    if (handler) handler(message.fields)
    else if (!EMPTY_MESSAGES.includes(message.type)) throw unexpected(message)
  }
}

/** Object ids of oid, int2, int4, int8, float4, float8 and numeric. */
const NUMBERS = new Set([20, 21, 23, 26, 700, 701, 1700])

function hasNumberFirst(fields: messages.Message['fields']): boolean {
  if (fields.uint16Be() === 0) return false
  fields.untilNul()
  fields.bytes(6)
  return NUMBERS.has(fields.uint32Be())
}

/** Undefined for NULL, and in a row without columns. */
function firstCell(fields: messages.Message['fields']): Buffer | undefined {
  if (fields.uint16Be() === 0) return undefined
  const length = fields.int32Be()
  return length === -1 ? undefined : fields.bytes(length)
}

const unexpected = ({ type }: messages.Message) =>
  protocolFault(`the target sent a message that does not belong here (${readable(type, 4)})`)
