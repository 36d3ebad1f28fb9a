import type { DefinitionOf } from '@vedette/shared'
import { MAX_DATABASE_ROWS } from '@vedette/shared/checks/limits'
import { ByteReader } from '../conversation/byte-reader.ts'
import { cellOf } from '../conversation/cell.ts'
import { CheckFault, protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse, pathNameOf } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { CACHING, encryptPassword, nonceBytesOf, proofOf, requireOwnMachine, withNul } from './auth.ts'
import { createPackets, EOF, OK, type Packets, readBytes, readLength, ServerError } from './packets.ts'

type MysqlCheck = DefinitionOf<'mysql'>

/** A login to MySQL or MariaDB and one query in a read-only transaction. */
export const mysql: CheckKind<MysqlCheck> = {
  type: 'mysql',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options, timeout } = definition
    const target = { url, defaultPort: 3306, verify: options.verify_tls }
    converse(attempt, tools, { ...target, tls: options.tls === 'required' ? 'later' : 'off' }, async (conversation) => {
      const packets = createPackets(conversation)
      const version = await logIn(conversation, packets, definition, pathNameOf(url), attempt.facts)
      const cell = await runQuery(packets, options.query, boundsOf(version, timeout), attempt.facts.figures)
      packets.command(QUIT)
      return cell
    })
  },
}

const QUIT = 0x01
const QUERY = 0x03
const PREPARE = 0x16

const LONG_PASSWORD = 0x1
const CONNECT_WITH_DB = 0x8
const PROTOCOL_41 = 0x200
const TLS = 0x800
const TRANSACTIONS = 0x2000
const SECURE_CONNECTION = 0x8000
const PLUGIN_AUTH = 0x80000
/** Without multi statements: the server refuses a second one. */
const CAPABILITIES = LONG_PASSWORD | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | PLUGIN_AUTH
const UTF8MB4 = 45
const NONCE_BYTES = 20

/** Returns the version of the server. */
async function logIn(
  conversation: Conversation,
  packets: Packets,
  { options, credentials: { username = '', password = '' } }: MysqlCheck,
  database: string,
  facts: ProbeFacts,
): Promise<string> {
  const greeting = await readGreeting(packets)
  facts.figures['server_version'] = greeting.version
  facts.statusLine = greeting.version
  const capabilities = CAPABILITIES | (database === '' ? 0 : CONNECT_WITH_DB) | (options.tls === 'off' ? 0 : TLS)
  const head = loginHead(capabilities)
  if (options.tls !== 'off') await startTls(conversation, packets, greeting, head)
  // A method that the probe does not have: the server then names the one of the account.
  const method = greeting.method === CACHING ? CACHING : 'mysql_native_password'
  const proof = proofOf(method, password, greeting.nonce, conversation.tlsSocket !== undefined)
  const texts = [username, ...(database === '' ? [] : [database]), method].map((text) => withNul(Buffer.from(text)))
  const [user = head, ...others] = texts
  packets.send(Buffer.concat([head, user, Buffer.from([proof.length]), proof, ...others]))
  await finishLogin(conversation, packets, password, { method, nonce: greeting.nonce })
  return greeting.version
}

const MAX_ANSWER_BYTES = 1_048_576

/** The begin of a login, which alone is a request for TLS. */
function loginHead(capabilities: number): Buffer {
  const head = Buffer.alloc(32)
  head.writeUInt32LE(capabilities)
  head.writeUInt32LE(MAX_ANSWER_BYTES, 4)
  head[8] = UTF8MB4
  return head
}

async function startTls(conversation: Conversation, packets: Packets, { capabilities }: Greeting, head: Buffer): Promise<void> {
  if ((capabilities & TLS) === 0) throw protocolFault('the server does not offer TLS')
  packets.send(head)
  await conversation.secure()
}

/** Without a login. */
export async function openTls(conversation: Conversation): Promise<void> {
  const packets = createPackets(conversation)
  await startTls(conversation, packets, await readGreeting(packets), loginHead(CAPABILITIES | TLS))
}

interface Greeting {
  version: string
  capabilities: number
  nonce: Buffer
  /** The server's usual method of login. */
  method: string
}

async function readGreeting(packets: Packets): Promise<Greeting> {
  const fields = new ByteReader(await packets.next('the server refused the connection'))
  if (fields.uint8() !== 10) throw protocolFault('the target does not speak the protocol of MySQL')
  const version = readable(fields.untilNul(), 100)
  fields.bytes(4)
  const begin = fields.bytes(8)
  fields.bytes(1)
  const low = fields.uint16Le()
  fields.bytes(3)
  const capabilities = low + fields.uint16Le() * 65_536
  // The length of the nonce with its NUL; then 10 reserved bytes.
  fields.bytes(11)
  const nonce = Buffer.concat([begin, fields.bytes(NONCE_BYTES - begin.length)])
  fields.bytes(1)
  return { version, capabilities, nonce, method: fields.left > 0 ? fields.text() : '' }
}

const AUTH_MORE = 0x01
const FAST_SUCCESS = 3
const FULL_LOGIN = 4
const KEY_REQUEST = 2

async function finishLogin(
  conversation: Conversation,
  packets: Packets,
  password: string,
  begun: { method: string; nonce: Buffer },
): Promise<void> {
  let { method, nonce } = begun
  for (;;) {
    const payload = await packets.next('the server refused the connection')
    const fields = new ByteReader(payload.subarray(1))
    if (payload[0] === OK) return
    if (payload[0] === EOF) {
      method = fields.text()
      nonce = Buffer.from(fields.bytes(nonceBytesOf(method)))
      packets.send(proofOf(readable(method, 40), password, nonce, conversation.tlsSocket !== undefined))
    } else if (payload[0] === AUTH_MORE && method === CACHING) {
      const state = fields.uint8()
      if (state === FULL_LOGIN) await sendPassword(conversation, packets, password, nonce)
      else if (state !== FAST_SUCCESS) throw unexpected()
    } else throw unexpected()
  }
}

/** Over TLS as it is; on this machine encrypted for the key of the server. */
async function sendPassword(conversation: Conversation, packets: Packets, password: string, nonce: Buffer): Promise<void> {
  if (conversation.tlsSocket) return packets.send(withNul(Buffer.from(password)))
  requireOwnMachine(conversation.remoteAddress)
  packets.send(Buffer.from([KEY_REQUEST]))
  const payload = await packets.next('the server refused the login')
  if (payload[0] !== AUTH_MORE) throw unexpected()
  packets.send(encryptPassword(password, nonce, payload.subarray(1)))
}

const unexpected = () => protocolFault('the target sent a message that does not belong here')

/** The time of a statement, in seconds in MariaDB and in milliseconds in MySQL; older servers know neither. */
const timeBounds = (timeoutSeconds: number) => ({
  mariadb: `max_statement_time = ${timeoutSeconds}`,
  mysql: `max_execution_time = ${timeoutSeconds * 1_000}`,
})

/** Bounds on the server, each in the words that it may know, the likelier ones first: a proxy has a version of its own. */
function boundsOf(version: string, timeoutSeconds: number): string[][] {
  const { mariadb, mysql } = timeBounds(timeoutSeconds)
  return [[`sql_select_limit = ${MAX_DATABASE_ROWS}`], /mariadb/i.test(version) ? [mariadb, mysql] : [mysql, mariadb]]
}

/**
 * All bounds at once, and each alone where the server refuses one. It is not broken by that: the check itself reads a bounded number of
 * rows, within its timeout.
 */
async function setBounds(packets: Packets, bounds: readonly (readonly string[])[]): Promise<void> {
  const likeliest = bounds.map(([words]) => words).join(', ')
  if (await isTaken(packets, `set session ${likeliest}`)) return
  for (const all of bounds) for (const words of all) if (await isTaken(packets, `set session ${words}`)) break
}

/** False where the server answers with an error. */
async function isTaken(packets: Packets, statement: string): Promise<boolean> {
  try {
    await execute(packets, statement)
    return true
  } catch (error) {
    if (error instanceof ServerError) return false
    throw error
  }
}

/** Of a statement that returns no rows. */
async function execute(packets: Packets, statement: string): Promise<void> {
  packets.command(QUERY, statement)
  if ((await packets.next('the query failed'))[0] !== OK) throw unexpected()
}

/**
 * Returns the first cell. The transaction is read-only, and only a statement that returns rows is executed: no `into outfile` and
 * nothing that could end the transaction. A server without such transactions is not queried.
 */
async function runQuery(
  packets: Packets,
  statement: string,
  bounds: string[][],
  figures: ProbeFacts['figures'],
): Promise<string> {
  const failed = 'the query failed'
  await setBounds(packets, bounds)
  await beginReadOnly(packets)
  await prepare(packets, statement)
  packets.command(QUERY, statement)
  const columns = readLength(new ByteReader(await packets.next(failed))) ?? 0
  if (columns === 0) throw protocolFault('the query returns no rows')
  let isNumeric = false
  for (let column = 0; column < columns; column += 1) {
    const definition = await packets.next(failed)
    if (column === 0) isNumeric = isNumberColumn(definition)
  }
  if (!isEnd(await packets.next(failed))) throw unexpected()
  let rows = 0
  let first: Buffer | undefined
  for (;;) {
    const payload = await packets.next(failed)
    if (isEnd(payload)) break
    if (++rows === 1) first = readBytes(new ByteReader(payload))
    // The server keeps to its limit; nobody can force it to.
    if (rows === MAX_DATABASE_ROWS) break
  }
  figures['rows'] = rows
  if (first) figures['cell'] = cellOf(first, isNumeric)
  return first?.toString() ?? ''
}

const SYNTAX_ERROR = 1064

/** MySQL before 5.6.5 and MariaDB before 10.0 do not know them: that says nothing about the database, and no query may run. */
async function beginReadOnly(packets: Packets): Promise<void> {
  try {
    await execute(packets, 'set session transaction read only')
    await execute(packets, 'start transaction read only')
  } catch (error) {
    if (!(error instanceof ServerError) || error.number !== SYNTAX_ERROR) throw error
    throw new CheckFault('internal', 'the server knows no read-only transactions, so the query was not executed')
  }
}

/** Asks for the number of columns without executing. */
async function prepare(packets: Packets, statement: string): Promise<void> {
  packets.command(PREPARE, statement)
  const fields = new ByteReader(await packets.next('the query failed'))
  if (fields.uint8() !== OK) throw unexpected()
  fields.bytes(4)
  const columns = fields.uint16Le()
  const parameters = fields.uint16Le()
  if (columns === 0) throw protocolFault('the query returns no rows, so it was not executed')
  if (parameters > 0) throw protocolFault('the query has placeholders')
  // Definitions of the columns, and their end.
  for (let count = 0; count <= columns; count += 1) await packets.next('the query failed')
}

const isEnd = (payload: Buffer): boolean => payload[0] === EOF && payload.length < 9

/** Types decimal, tiny to long, float, double, longlong, int24, year and newdecimal. */
const NUMBERS = new Set([0, 1, 2, 3, 4, 5, 8, 9, 13, 246])

function isNumberColumn(payload: Buffer): boolean {
  const fields = new ByteReader(payload)
  // Catalog, schema, table, original table, name, original name; then the length of the rest, character set and width.
  for (let text = 0; text < 6; text += 1) readBytes(fields)
  fields.bytes(1 + 2 + 4)
  return NUMBERS.has(fields.uint8())
}
