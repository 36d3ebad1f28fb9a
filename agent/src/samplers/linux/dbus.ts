import type { Socket } from 'node:net'
import { type Clock, settlesWithin } from '../../clock.ts'

/**
 * One call to systemd over D-Bus, so that no program has to be started. Implements only the necessary part of the specification:
 * EXTERNAL authentication, a call with a list of strings, and an answer with a list of structures.
 */

/** A bus responds in milliseconds; after this time the push goes without the units. */
const WAIT_MS = 1_000
/** Far above any list of failed units. */
const MAX_ANSWER_BYTES = 1_048_576

const METHOD_CALL = 1
const METHOD_RETURN = 2
const FIELD = { path: 1, interface: 2, member: 3, replySerial: 5, destination: 6, signature: 8 } as const

class Writer {
  #bytes: number[] = []

  get length(): number {
    return this.#bytes.length
  }

  align(size: number): this {
    while (this.#bytes.length % size !== 0) this.#bytes.push(0)
    return this
  }

  byte(value: number): this {
    this.#bytes.push(value)
    return this
  }

  uint32(value: number): this {
    this.align(4).#bytes.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24)
    return this
  }

  text(value: string): this {
    const bytes = Buffer.from(value)
    this.uint32(bytes.length).#bytes.push(...bytes, 0)
    return this
  }

  signature(value: string): this {
    this.#bytes.push(value.length, ...Buffer.from(value), 0)
    return this
  }

  bytes(value: Uint8Array): this {
    this.#bytes.push(...value)
    return this
  }

  end(): Buffer {
    return Buffer.from(this.#bytes)
  }
}

export interface Call {
  serial: number
  destination: string
  path: string
  interface: string
  member: string
  /** The only argument: a list of strings. */
  words?: readonly string[]
}

export function encodeCall(call: Call): Buffer {
  const fields = new Writer()
  const field = (code: number, signature: string) => fields.align(8).byte(code).signature(signature)
  field(FIELD.path, 'o').text(call.path)
  field(FIELD.interface, 's').text(call.interface)
  field(FIELD.member, 's').text(call.member)
  field(FIELD.destination, 's').text(call.destination)
  if (call.words) field(FIELD.signature, 'g').signature('as')
  const list = new Writer()
  for (const word of call.words ?? []) list.text(word)
  const body = call.words ? new Writer().uint32(list.length).bytes(list.end()).end() : Buffer.alloc(0)
  // The array of fields has its length at offset 12 and its content at 16: a multiple of 8, as the writer assumed.
  const head = new Writer().byte('l'.charCodeAt(0)).byte(METHOD_CALL).byte(0).byte(1).uint32(body.length).uint32(call.serial)
  return Buffer.concat([head.uint32(fields.length).bytes(fields.end()).align(8).end(), body])
}

/** Reads marshalled values; throws a RangeError past the end. */
class Reader {
  at: number
  readonly #bytes: Buffer
  readonly #isLittle: boolean

  constructor(bytes: Buffer, at: number, isLittle: boolean) {
    this.#bytes = bytes
    this.at = at
    this.#isLittle = isLittle
  }

  align(size: number): void {
    this.at = Math.ceil(this.at / size) * size
  }

  byte(): number {
    return this.#bytes.readUInt8(this.at++)
  }

  uint32(): number {
    this.align(4)
    const value = this.#isLittle ? this.#bytes.readUInt32LE(this.at) : this.#bytes.readUInt32BE(this.at)
    this.at += 4
    return value
  }

  text(length = this.uint32()): string {
    const from = this.at
    this.at = from + length + 1
    if (this.at > this.#bytes.length) throw new RangeError('past the end')
    return this.#bytes.toString('utf8', from, from + length)
  }
}

export interface Message {
  type: number
  /** Serial of the call that this answers. */
  replySerial: number | undefined
  body: Reader
}

/** The complete messages in `bytes` and their length. Throws for invalid messages. */
export function decodeMessages(bytes: Buffer): { messages: Message[]; length: number } {
  const messages: Message[] = []
  let start = 0
  while (bytes.length - start >= 16) {
    const isLittle = bytes[start] === 'l'.charCodeAt(0)
    const head = new Reader(bytes.subarray(start), 1, isLittle)
    const type = head.byte()
    head.at = 4
    const bodyLength = head.uint32()
    head.at = 12
    const bodyAt = Math.ceil((16 + head.uint32()) / 8) * 8
    if (bodyAt + bodyLength > MAX_ANSWER_BYTES) throw new RangeError('the answer is too long')
    if (start + bodyAt + bodyLength > bytes.length) break
    const whole = bytes.subarray(start, start + bodyAt + bodyLength)
    messages.push({ type, replySerial: readReplySerial(whole, isLittle), body: new Reader(whole, bodyAt, isLittle) })
    start += bodyAt + bodyLength
  }
  return { messages, length: start }
}

function readReplySerial(message: Buffer, isLittle: boolean): number | undefined {
  const reader = new Reader(message, 12, isLittle)
  const end = reader.uint32() + 16
  while (reader.at < end) {
    reader.align(8)
    const code = reader.byte()
    const signature = reader.text(reader.byte())
    if (signature === 'u') {
      const value = reader.uint32()
      if (code === FIELD.replySerial) return value
    } else if (signature === 'g') reader.text(reader.byte())
    else if (signature === 's' || signature === 'o') reader.text()
    else return undefined
  }
  return undefined
}

/** The first strings of structures `(ssssssouso)`, in which systemd lists its units: their names. */
function readUnitNames(body: Reader): string[] {
  const names: string[] = []
  const length = body.uint32()
  body.align(8)
  const end = body.at + length
  while (body.at < end) {
    body.align(8)
    const [name] = Array.from({ length: 7 }, () => body.text())
    body.uint32()
    body.text()
    body.text()
    if (name !== undefined) names.push(name)
  }
  return names
}

const MANAGER = {
  destination: 'org.freedesktop.systemd1',
  path: '/org/freedesktop/systemd1',
  interface: 'org.freedesktop.systemd1.Manager',
}
const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' }
const LIST_SERIAL = 2

/** Names of the failed units; undefined if the bus does not answer. */
export async function listFailedUnits(clock: Clock, socketPath: string, uid: number): Promise<string[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<string[] | undefined>()
  const socket = process.getBuiltinModule('node:net').connect(socketPath)
  const calls = [
    encodeCall({ ...BUS, serial: 1, member: 'Hello' }),
    encodeCall({ ...MANAGER, serial: LIST_SERIAL, member: 'ListUnitsFiltered', words: ['failed'] }),
  ]
  socket.on('error', () => resolve(undefined))
  socket.on('close', () => resolve(undefined))
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`)
  exchangeMessages(socket, calls, resolve)
  await settlesWithin(clock, promise, WAIT_MS)
  // Resolves the promise if it is still pending.
  socket.destroy()
  return promise
}

function exchangeMessages(socket: Socket, calls: readonly Buffer[], resolve: (names: string[] | undefined) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  let isAuthenticated = false
  socket.on('data', (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece])
    try {
      if (!isAuthenticated) {
        const lineEnd = bytes.indexOf('\r\n')
        if (lineEnd < 0) return
        if (!bytes.toString('latin1').startsWith('OK ')) return resolve(undefined)
        isAuthenticated = true
        bytes = bytes.subarray(lineEnd + 2)
        socket.write(Buffer.concat([Buffer.from('BEGIN\r\n'), ...calls]))
      }
      const { messages, length } = decodeMessages(bytes)
      bytes = bytes.subarray(length)
      const answer = messages.find(({ replySerial }) => replySerial === LIST_SERIAL)
      if (answer) resolve(answer.type === METHOD_RETURN ? readUnitNames(answer.body) : undefined)
    } catch {
      // No valid D-Bus message.
      resolve(undefined)
    }
  })
}
