const BLOCK = 512
const REGULAR = '0'

export interface TarEntry {
  name: string
  size: number
}

/** A piece of an entry's content. The first piece of each entry is empty. */
export interface TarPiece {
  entry: TarEntry
  piece: Buffer
}

/**
 * Reads a tar of npm as it arrives. A name of more than 100 bytes is cut off: nobody here looks for one. Throws where the tar
 * ends within a file.
 */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarPiece> {
  let entry: TarEntry = { name: '', size: 0 }
  let [left, padding] = [0, 0]
  let head = Buffer.alloc(0)
  for await (const chunk of chunks) {
    let rest = chunk
    const take = (bytes: number) => {
      const taken = rest.subarray(0, bytes)
      rest = rest.subarray(taken.length)
      return taken
    }
    while (rest.length > 0) {
      if (left > 0) {
        const piece = take(left)
        left -= piece.length
        yield { entry, piece }
      } else if (padding > 0) {
        padding -= take(padding).length
      } else {
        head = Buffer.concat([head, take(BLOCK - head.length)])
        if (head.length < BLOCK) break
        if (head.some((byte) => byte !== 0)) {
          entry = readHeader(head)
          left = entry.size
          padding = paddingOf(entry.size)
          yield { entry, piece: Buffer.alloc(0) }
        }
        head = Buffer.alloc(0)
      }
    }
  }
  if (left > 0 || head.length > 0) throw new Error('the tar ends within a file')
}

function readHeader(head: Buffer): TarEntry {
  const textAt = (at: number, bytes: number) => head.toString('latin1', at, at + bytes).replace(/\0.*$/s, '')
  const size = Number.parseInt(textAt(124, 12).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the tar has an entry without a size')
  return { name: textAt(0, 100), size }
}

/** The header of a file in a tar: of root, and of one time, so that the same files give the same bytes. */
export function tarHeader(name: string, size: number, isProgram: boolean): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`a name is too long for a tar: ${name}`)
  const head = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  head.write(name, 0)
  head.write(octal(isProgram ? 0o755 : 0o644, 7), 100)
  head.write(octal(0, 7), 108)
  head.write(octal(0, 7), 116)
  head.write(octal(size, 11), 124)
  head.write(octal(0, 11), 136)
  // The checksum counts itself as blanks.
  head.write('        ', 148)
  head.write(REGULAR, 156)
  head.write('ustar\x0000', 257, 'latin1')
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return head
}

/** Zeros after a file of this size. */
export const tarPadding = (size: number): Buffer => Buffer.alloc(paddingOf(size))

/** What ends a tar. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK
