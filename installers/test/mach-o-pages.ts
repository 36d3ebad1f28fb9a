import { createHash } from 'node:crypto'

/** What a reader of the signature finds; written apart from the signer, after the layout that Apple publishes. */
export interface SignatureReport {
  identifier: string
  flags: number
  pages: number
  badPages: number[]
  /** Whether the signature is the last thing of the file and inside of __LINKEDIT. */
  isAtEnd: boolean
}

/** Checks every page hash of a 64-bit Mach-O file. Throws where there is no signature. */
export function readSignature(file: Buffer): SignatureReport {
  const loads = Array.from({ length: file.readUInt32LE(16) }).reduce<{ at: number; found: number[] }>(
    ({ at, found }) => ({ at: at + file.readUInt32LE(at + 4), found: [...found, at] }),
    { at: 32, found: [] },
  ).found
  const load = loads.find((at) => file.readUInt32LE(at) === 0x1d)
  if (load === undefined) throw new Error('there is no signature')
  const [offset, size] = [file.readUInt32LE(load + 8), file.readUInt32LE(load + 12)]
  const linkedit = loads.find((at) => file.readUInt32LE(at) === 0x19 && file.toString('latin1', at + 8, at + 18) === '__LINKEDIT')
  if (linkedit === undefined) throw new Error('there is no __LINKEDIT')
  const linkeditEnd = Number(file.readBigUInt64LE(linkedit + 40) + file.readBigUInt64LE(linkedit + 48))
  const blob = file.subarray(offset, offset + size)
  if (blob.readUInt32BE(0) !== 0xfade0cc0) throw new Error('there is no super blob')
  const entries = Array.from({ length: blob.readUInt32BE(8) }, (_, index) => 12 + index * 8)
  const entry = entries.find((at) => blob.readUInt32BE(at) === 0)
  if (entry === undefined) throw new Error('there is no code directory')
  const directory = blob.subarray(blob.readUInt32BE(entry + 4))
  if (directory.readUInt32BE(0) !== 0xfade0c02 || directory.readUInt8(37) !== 2) throw new Error('no directory of SHA-256')
  const identifierAt = directory.readUInt32BE(20)
  return {
    identifier: directory.toString('latin1', identifierAt, directory.indexOf(0, identifierAt)),
    flags: directory.readUInt32BE(12),
    pages: directory.readUInt32BE(28),
    badPages: badPages(file, directory),
    isAtEnd: offset + size === file.length && linkeditEnd === file.length && directory.readUInt32BE(32) === offset,
  }
}

function badPages(file: Buffer, directory: Buffer): number[] {
  const [hashesAt, count, limit] = [directory.readUInt32BE(16), directory.readUInt32BE(28), directory.readUInt32BE(32)]
  const bytes = 1 << directory.readUInt8(39)
  if (count !== Math.ceil(limit / bytes)) throw new Error(`${count} hashes are not all pages`)
  const pages = Array.from({ length: count }, (_, page) => page)
  return pages.filter((page) => {
    const found = createHash('sha256').update(file.subarray(page * bytes, Math.min((page + 1) * bytes, limit)))
    return !found.digest().equals(directory.subarray(hashesAt + page * 32, hashesAt + (page + 1) * 32))
  })
}
