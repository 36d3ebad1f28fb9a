import { protocolFault } from './check-fault.ts'

/** Reads the fields of one message in order. A field beyond its end is a fault of the target. */
export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  bytes(count: number): Buffer {
    if (count < 0 || count > this.left) throw protocolFault('the target sent a message that is cut short')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  rest(): Buffer {
    return this.bytes(this.left)
  }

  uint8 = (): number => this.bytes(1).readUInt8()
  uint16Be = (): number => this.bytes(2).readUInt16BE()
  uint16Le = (): number => this.bytes(2).readUInt16LE()
  uint32Be = (): number => this.bytes(4).readUInt32BE()
  int32Be = (): number => this.bytes(4).readInt32BE()
  uint32Le = (): number => this.bytes(4).readUInt32LE()

  /** Bytes up to a NUL, which is skipped. */
  untilNul(): Buffer {
    const end = this.#bytes.indexOf(0, this.#at)
    const found = this.bytes(end === -1 ? -1 : end - this.#at)
    this.#at += 1
    return found
  }

  text(): string {
    return this.untilNul().toString()
  }
}
