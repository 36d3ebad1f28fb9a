import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Half a millisecond of work; the event loop gets a turn between two. */
const CHUNK_BYTES = 32_768
/** Far above the list of any archive. */
const MAX_FILE_BYTES = 512 * 1_048_576

/** One paragraph of a control file, decoded only as far as it is used. */
export class Stanza {
  readonly #bytes: Buffer
  readonly #start: number
  readonly #end: number

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes
    this.#start = start
    this.#end = end
  }

  /** The first line of a field; undefined without it. */
  field(name: string): string | undefined {
    const isFirst = this.#bytes.toString('latin1', this.#start, this.#start + name.length + 2) === `${name}: `
    const at = isFirst ? this.#start - 1 : this.#bytes.indexOf(`\n${name}: `, this.#start, 'latin1')
    if (!isFirst && (at < 0 || at >= this.#end)) return undefined
    const valueAt = at + name.length + 3
    const lineEnd = this.#bytes.indexOf(10, valueAt)
    return this.#bytes.toString('latin1', valueAt, lineEnd < 0 || lineEnd > this.#end ? this.#end : lineEnd).trim()
  }
}

/** Calls `visit` with each paragraph of a file of dpkg or apt. In the thread pool, in slices; throws if the file cannot be read. */
export async function forEachStanza(path: string, visit: (stanza: Stanza) => void): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    let bytes = Buffer.allocUnsafe(CHUNK_BYTES)
    let length = 0
    for (let total = 0; total < MAX_FILE_BYTES; ) {
      // A paragraph that is longer than the buffer.
      if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)])
      const { bytesRead } = await file.read(bytes, length, bytes.length - length)
      total += bytesRead
      length += bytesRead
      const rest = visitWhole(bytes.subarray(0, length), bytesRead === 0, visit)
      if (bytesRead === 0) return
      bytes.copyWithin(0, length - rest, length)
      length = rest
    }
  } finally {
    await file.close()
  }
}

/** Visits the paragraphs that are complete; returns how many bytes are left. */
function visitWhole(bytes: Buffer, isLast: boolean, visit: (stanza: Stanza) => void): number {
  let start = 0
  for (;;) {
    const end = bytes.indexOf('\n\n', start, 'latin1')
    if (end < 0) break
    if (end > start) visit(new Stanza(bytes, start, end))
    start = end + 2
  }
  if (isLast && start < bytes.length) visit(new Stanza(bytes, start, bytes.length))
  return isLast ? 0 : bytes.length - start
}
