const CHECKSUM = 64
const DIRECTORIES_64 = 112
/** The directory of Authenticode signatures, 8 bytes: offset in the file and size. */
const SECURITY = 4

/** Offset of the optional header; throws for anything but a Windows program of 64 bits. */
function optionalHeader(file: Buffer): number {
  const header = file.readUInt32LE(0x3c)
  if (file.toString('latin1', 0, 2) !== 'MZ' || file.toString('latin1', header, header + 4) !== 'PE\0\0')
    throw new Error('no PE file')
  const optional = header + 24
  if (file.readUInt16LE(optional) !== 0x20b) throw new Error('no PE of 64 bits')
  return optional
}

/** Where the program says that its signatures are, and its checksum. */
export function readPeHeader(file: Buffer): { certificates: { offset: number; bytes: number }; checksum: number } {
  const optional = optionalHeader(file)
  const at = optional + DIRECTORIES_64 + SECURITY * 8
  return {
    certificates: { offset: file.readUInt32LE(at), bytes: file.readUInt32LE(at + 4) },
    checksum: file.readUInt32LE(optional + CHECKSUM),
  }
}

/**
 * The program without the reference to its signature, with the right checksum. Injecting the agent broke the signature: Windows treats
 * a program with a broken one worse than one without.
 */
export function removeSignature(program: Buffer): Buffer {
  const file = Buffer.from(program)
  const optional = optionalHeader(file)
  file.fill(0, optional + DIRECTORIES_64 + SECURITY * 8, optional + DIRECTORIES_64 + SECURITY * 8 + 8)
  file.writeUInt32LE(peChecksum(file), optional + CHECKSUM)
  return file
}

/** The checksum of Windows' imagehlp: the sum of all 16-bit words with end-around carry, without the checksum itself, plus the size. */
export function peChecksum(file: Buffer): number {
  const field = optionalHeader(file) + CHECKSUM
  let sum = 0
  for (let at = 0; at < file.length; at += 2) {
    if (at === field || at === field + 2) continue
    sum += at + 1 < file.length ? file.readUInt16LE(at) : file.readUInt8(at)
    sum = (sum & 0xffff) + (sum >>> 16)
  }
  return ((sum & 0xffff) + file.length) >>> 0
}
