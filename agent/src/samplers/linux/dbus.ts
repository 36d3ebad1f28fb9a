import type { Socket } from 'node:net'
import { type Clock, settlesWithin } from '../../process/clock.ts'

/**
 * Calls to systemd over D-Bus, so that no program has to be started. Implements only the necessary part of the specification:
 * EXTERNAL authentication, calls with strings and lists of strings, and answers with a list of structures or one property.
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

  list(values: readonly string[]): this {
    // Starts at a multiple of 4, as this one will.
    const list = new Writer()
    for (const value of values) list.text(value)
    return this.uint32(list.length).bytes(list.end())
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
  /** Strings and lists of strings. */
  args?: readonly (string | readonly string[])[]
}

export function encodeCall(call: Call): Buffer {
  const fields = new Writer()
  const field = (code: number, signature: string) => fields.align(8).byte(code).signature(signature)
  field(FIELD.path, 'o').text(call.path)
  field(FIELD.interface, 's').text(call.interface)
  field(FIELD.member, 's').text(call.member)
  field(FIELD.destination, 's').text(call.destination)
  const args = call.args ?? []
  if (args.length > 0) field(FIELD.signature, 'g').signature(args.map((arg) => (typeof arg === 'string' ? 's' : 'as')).join(''))
  const body = new Writer()
  for (const arg of args) {
    body.align(4)
    if (typeof arg === 'string') body.text(arg)
    else body.list(arg)
  }
  // The array of fields has its length at offset 12 and its content at 16: a multiple of 8, as the writer assumed.
  const head = new Writer().byte('l'.charCodeAt(0)).byte(METHOD_CALL).byte(0).byte(1).uint32(body.length).uint32(call.serial)
  return Buffer.concat([head.uint32(fields.length).bytes(fields.end()).align(8).end(), body.end()])
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

  uint64(): number {
    this.align(8)
    const value = this.#isLittle ? this.#bytes.readBigUInt64LE(this.at) : this.#bytes.readBigUInt64BE(this.at)
    this.at += 8
    return Number(value)
  }

  /** A property: a text or a number without a sign; undefined for another type. */
  variant(): string | number | undefined {
    const signature = this.text(this.byte())
    if (signature === 's' || signature === 'o') return this.text()
    if (signature === 'u') return this.uint32()
    return signature === 't' ? this.uint64() : undefined
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

export interface Unit {
  name: string
  description: string
  loadState: string
  activeState: string
  subState: string
  path: string
}

/** Structures `(ssssssouso)`, in which systemd lists its units. */
function readUnits(body: Reader): Unit[] {
  const units: Unit[] = []
  const length = body.uint32()
  body.align(8)
  const end = body.at + length
  while (body.at < end) {
    body.align(8)
    const [name = '', description = '', loadState = '', activeState = '', subState = '', , path = ''] = Array.from(
      { length: 7 },
      () => body.text(),
    )
    body.uint32()
    body.text()
    body.text()
    units.push({ name, description, loadState, activeState, subState, path })
  }
  return units
}

const SYSTEMD = 'org.freedesktop.systemd1'
const MANAGER = { destination: SYSTEMD, path: '/org/freedesktop/systemd1', interface: `${SYSTEMD}.Manager` }
const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' }

/** A connection for some calls. An answer is undefined if the bus refused the call or is gone. */
export interface SystemdBus {
  listFailed(): Promise<Unit[] | undefined>
  /** The loaded units whose names match one of the patterns. */
  listByPatterns(patterns: readonly string[]): Promise<Unit[] | undefined>
  /** A property of a unit's interface, as `Service`. */
  property(path: string, of: string, name: string): Promise<string | number | undefined>
}

/** Connects, lets `work` call, and disconnects; undefined if it takes more than a second. Calls made at once are sent at once. */
export async function withSystemd<T>(
  clock: Clock,
  socketPath: string,
  uid: number,
  work: (bus: SystemdBus) => Promise<T>,
): Promise<T | undefined> {
  const socket = process.getBuiltinModule('node:net').connect(socketPath)
  const calls = new Calls(socket, uid)
  const listed = (call: Omit<Call, 'serial'>) => calls.make(call, readUnits)
  void calls.make({ ...BUS, member: 'Hello' }, () => undefined)
  const working = work({
    listFailed: () => listed({ ...MANAGER, member: 'ListUnitsFiltered', args: [['failed']] }),
    listByPatterns: (patterns) => listed({ ...MANAGER, member: 'ListUnitsByPatterns', args: [[], patterns] }),
    property: (path, of, name) =>
      calls.make(
        {
          destination: SYSTEMD,
          path,
          interface: 'org.freedesktop.DBus.Properties',
          member: 'Get',
          args: [`${SYSTEMD}.${of}`, name],
        },
        (body) => body.variant(),
      ),
  })
  const isInTime = await settlesWithin(clock, working, WAIT_MS)
  // Answers the calls that are still pending.
  socket.destroy()
  return isInTime ? working : undefined
}

class Calls {
  readonly #socket: Socket
  readonly #pending = new Map<number, (message: Message | undefined) => void>()
  #serial = 0
  #isAuthenticated = false
  #isClosed = false
  #unsent: Buffer[] = []
  #bytes: Buffer = Buffer.alloc(0)

  constructor(socket: Socket, uid: number) {
    this.#socket = socket
    socket.on('error', () => this.#close())
    socket.on('close', () => this.#close())
    socket.on('data', (piece: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, piece])
      try {
        this.#take()
      } catch {
        // No valid D-Bus message.
        this.#close()
      }
    })
    socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(uid)).toString('hex')}\r\n`)
  }

  async make<T>(call: Omit<Call, 'serial'>, read: (body: Reader) => T): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<Message | undefined>()
    const serial = ++this.#serial
    if (this.#isClosed) return undefined
    this.#pending.set(serial, resolve)
    this.#unsent.push(encodeCall({ ...call, serial }))
    // Together with the calls that follow at once.
    queueMicrotask(() => this.#send())
    const message = await promise
    try {
      return message?.type === METHOD_RETURN ? read(message.body) : undefined
    } catch {
      return undefined
    }
  }

  #send(): void {
    if (!this.#isAuthenticated || this.#unsent.length === 0) return
    this.#socket.write(Buffer.concat(this.#unsent))
    this.#unsent = []
  }

  #take(): void {
    if (!this.#isAuthenticated) {
      const lineEnd = this.#bytes.indexOf('\r\n')
      if (lineEnd < 0) return
      if (!this.#bytes.toString('latin1').startsWith('OK ')) return this.#close()
      this.#isAuthenticated = true
      this.#bytes = this.#bytes.subarray(lineEnd + 2)
      this.#unsent.unshift(Buffer.from('BEGIN\r\n'))
      this.#send()
    }
    const { messages, length } = decodeMessages(this.#bytes)
    this.#bytes = this.#bytes.subarray(length)
    for (const message of messages) {
      const answered = message.replySerial === undefined ? undefined : this.#pending.get(message.replySerial)
      if (message.replySerial !== undefined) this.#pending.delete(message.replySerial)
      answered?.(message)
    }
  }

  #close(): void {
    this.#isClosed = true
    for (const resolve of this.#pending.values()) resolve(undefined)
    this.#pending.clear()
  }
}

/** Names of the failed units; undefined if the bus does not answer. */
export async function listFailedUnits(clock: Clock, socketPath: string, uid: number): Promise<string[] | undefined> {
  const units = await withSystemd(clock, socketPath, uid, (bus) => bus.listFailed())
  return units?.map(({ name }) => name)
}
