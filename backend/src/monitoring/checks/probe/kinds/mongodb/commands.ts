import { ByteReader } from '../conversation/byte-reader.ts'
import { CheckFault, loginRefused, protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import { createScram } from '../conversation/scram.ts'
import { decodeDocument, encodeDocument, type ReadDocument, type Sent } from './bson.ts'

/** Commands over OP_MSG, which servers have had since MongoDB 3.6. */

const OP_MSG = 2013
const HEADER_BYTES = 16
const HAS_CHECKSUM = 1

export const NO_MONGODB = 'the target does not speak the protocol of MongoDB'

export class RefusedCommand extends CheckFault {
  readonly number: number
  constructor(name: string, { code, errmsg }: ReadDocument) {
    const number = typeof code === 'number' ? code : 0
    const reason = typeof errmsg === 'string' ? readable(errmsg) : 'without a reason'
    super('protocol', `the server refused ${name}: ${reason} (${number})`)
    this.number = number
  }
}

/**
 * The first name of the command is that of the command itself. Commands of one turn are sent in one segment, and a server answers them in
 * their order: they cost one round trip. Rejects with a `RefusedCommand` for one that the server refuses.
 */
export type Command = (database: string, command: Readonly<Record<string, Sent>>) => Promise<ReadDocument>

export function createCommands(conversation: Conversation): Command {
  let id = 0
  let last: Promise<unknown> = Promise.resolve()
  const unsent: Buffer[] = []
  return async (database, command) => {
    const own = (id += 1)
    const body = encodeDocument({ ...command, $db: database })
    const message = Buffer.alloc(HEADER_BYTES + 5)
    message.writeInt32LE(message.length + body.length, 0)
    message.writeInt32LE(own, 4)
    message.writeInt32LE(OP_MSG, 12)
    if (unsent.push(message, body) === 2) queueMicrotask(() => conversation.write(Buffer.concat(unsent.splice(0))))
    const reading = last.then(() => readAnswer(conversation, own))
    last = reading
    const answer = await reading
    if (answer['ok'] !== 1) throw new RefusedCommand(Object.keys(command)[0] as string, answer)
    return answer
  }
}

async function readAnswer(conversation: Conversation, id: number): Promise<ReadDocument> {
  const header = await conversation.read(HEADER_BYTES)
  const length = header.readUInt32LE(0) - HEADER_BYTES
  if (length < 10 || header.readInt32LE(8) !== id || header.readInt32LE(12) !== OP_MSG) throw protocolFault(NO_MONGODB)
  const bytes = await conversation.read(length)
  const hasChecksum = (bytes.readUInt32LE(0) & HAS_CHECKSUM) !== 0
  // Section kind 0: one document.
  if (bytes[4] !== 0) throw protocolFault(NO_MONGODB)
  return decodeDocument(new ByteReader(bytes.subarray(5, hasChecksum ? -4 : undefined)))
}

/** Authentication failed, user not found, mechanism unavailable and unauthorized. */
const REFUSED_LOGINS = new Set([11, 13, 18, 334])

/** By SCRAM-SHA-256, of users since MongoDB 4.0. */
export async function logIn(command: Command, database: string, username: string, password: string): Promise<void> {
  const scram = createScram(password, username)
  const step = async (sent: Readonly<Record<string, Sent>>) => {
    const { payload, conversationId } = await command(database, sent)
    if (!Buffer.isBuffer(payload)) throw protocolFault(NO_MONGODB)
    return { text: payload.toString(), conversationId: Number(conversationId) }
  }
  try {
    const start = {
      saslStart: 1,
      mechanism: 'SCRAM-SHA-256',
      payload: Buffer.from(scram.first),
      options: { skipEmptyExchange: true },
    }
    const { text, conversationId } = await step(start)
    const proof = Buffer.from(await scram.respond(text))
    const final = await step({ saslContinue: 1, conversationId, payload: proof })
    scram.verify(final.text)
  } catch (error) {
    throw error instanceof RefusedCommand && REFUSED_LOGINS.has(error.number) ? loginRefused(String(error.number)) : error
  }
}
