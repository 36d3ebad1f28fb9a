import { ByteReader } from '../conversation/byte-reader.ts'
import { uint32 } from '../conversation/bytes.ts'
import { type CheckFault, loginRefused, protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'

/** A message of the frontend/backend protocol 3.0. */
export interface Message {
  type: string
  fields: ByteReader
}

const NUL = Buffer.alloc(1)
export const text = (value: string): Buffer => Buffer.concat([Buffer.from(value), NUL])

/** `type` is empty for the first messages of a connection. */
export function encode(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), uint32(body.length + 4), body])
}

export const startUp = (parameters: Readonly<Record<string, string>>): Buffer =>
  encode('', uint32(196_608), ...Object.entries(parameters).flat().map(text), NUL)
export const TLS_REQUEST = encode('', uint32(80_877_103))
export const password = (bytes: Buffer): Buffer => encode('p', bytes)
export const saslStart = (mechanism: string, first: string): Buffer =>
  encode('p', text(mechanism), uint32(Buffer.byteLength(first)), Buffer.from(first))
export const query = (statement: string): Buffer => encode('Q', text(statement))
export const parse = (statement: string): Buffer => encode('P', text(''), text(statement), Buffer.alloc(2))
export const DESCRIBE = encode('D', Buffer.from('S'), text(''))
export const BIND = encode('B', text(''), text(''), Buffer.alloc(6))
export const execute = (maxRows: number): Buffer => encode('E', text(''), uint32(maxRows))
export const SYNC = encode('S')
export const TERMINATE = encode('X')

/** The next message that means something here: notices, changed parameters and notifications are skipped. */
export async function nextMessage(
  conversation: Conversation,
  onParameter?: (name: string, value: string) => void,
): Promise<Message> {
  for (;;) {
    const head = await conversation.read(5)
    const length = head.readUInt32BE(1) - 4
    if (length < 0) throw protocolFault('the target does not speak the protocol of PostgreSQL')
    const type = String.fromCharCode(head[0] as number)
    const fields = new ByteReader(await conversation.read(length))
    if (type === 'S') onParameter?.(fields.text(), fields.text())
    else if (!'NAK'.includes(type)) return { type, fields }
  }
}

/** The fault of an ErrorResponse. `during` begins the message. */
export function errorOf({ fields }: Message, during: string): CheckFault {
  const found = new Map<string, string>()
  while (fields.left > 1) found.set(String.fromCharCode(fields.uint8()), fields.text())
  const code = readable(found.get('C') ?? '', 5)
  if (code === '28000') return loginRefused('28000: there is no such role, or pg_hba.conf does not allow it')
  if (code.startsWith('28')) return loginRefused(code)
  return protocolFault(`${during}: ${readable(found.get('M') ?? '')} (${code})`)
}
