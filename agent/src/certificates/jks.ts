import { Unreadable } from './unreadable.ts'

/** Java's own key store: its certificates are readable without the password, which only proves and hides the rest. */
export const JKS_MAGIC = 0xfeedfeed
const [KEY, TRUSTED] = [1, 2]

export interface NamedCertificate {
  /** The alias; undefined where the format has none. */
  name: string | undefined
  /** DER. */
  der: Buffer
}

/** Each entry with its certificates in their order. Throws Unreadable. */
export function readJks(bytes: Buffer, most: number): NamedCertificate[] {
  const reader = new Reader(bytes, 4)
  const version = reader.uint32()
  if (version !== 1 && version !== 2) throw new Unreadable('it is a key store of an unknown version')
  const entries = reader.uint32()
  const certificates: NamedCertificate[] = []
  const readOne = (name: string) => {
    if (version === 2) reader.skip(reader.uint16())
    certificates.push({ name, der: reader.bytes(reader.uint32()) })
  }
  for (let entry = 0; entry < entries && certificates.length < most; entry++) {
    const tag = reader.uint32()
    const name = reader.bytes(reader.uint16()).toString('utf8')
    reader.skip(8)
    if (tag === TRUSTED) readOne(name)
    else if (tag === KEY) {
      // The private key, encrypted.
      reader.skip(reader.uint32())
      for (let left = reader.uint32(); left > 0 && certificates.length < most; left--) readOne(name)
    } else throw new Unreadable('it is damaged')
  }
  return certificates
}

class Reader {
  readonly #bytes: Buffer
  #at: number
  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  bytes(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new Unreadable('it ends too early')
    const part = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return part
  }

  skip(length: number): void {
    this.bytes(length)
  }

  uint16(): number {
    return this.bytes(2).readUInt16BE()
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE()
  }
}
