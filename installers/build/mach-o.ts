import { createHash } from 'node:crypto'

const MAGIC_64 = 0xfeedfacf
const SEGMENT_64 = 0x19
const CODE_SIGNATURE = 0x1d
const HEADER_BYTES = 32
const PAGE_BITS = 12
/** Apple silicon uses pages of 16 KiB, and segments must end at a page boundary. */
const SEGMENT_ALIGNMENT = 16_384
const HASH_BYTES = 32
const DIRECTORY_BYTES = 88
const SUPER_BLOB_BYTES = 20

const align = (value: number, to: number): number => Math.ceil(value / to) * to

interface Command {
  kind: number
  at: number
  size: number
}

function commandsOf(file: Buffer): Command[] {
  if (file.readUInt32LE(0) !== MAGIC_64) throw new Error('no Mach-O file of 64 bits')
  const commands: Command[] = []
  let at = HEADER_BYTES
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const size = file.readUInt32LE(at + 4)
    commands.push({ kind: file.readUInt32LE(at), at, size })
    at += size
  }
  return commands
}

const segmentName = (file: Buffer, { at }: Command) => file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')

/**
 * Signs a program for macOS ad hoc (without a certificate): a code directory with the SHA-256 of each page. Apple silicon kills unsigned
 * programs, and injecting the agent invalidated the old signature, which is replaced.
 */
export function signAdHoc(program: Buffer, identifier: string): Buffer {
  const { code, linkedit, text } = withRoomForSignature(program)
  const codeBytes = code.length
  const ident = Buffer.from(`${identifier}\0`)
  const slots = Math.ceil(codeBytes / 2 ** PAGE_BITS)
  const directoryBytes = DIRECTORY_BYTES + ident.length + slots * HASH_BYTES
  const signatureBytes = align(SUPER_BLOB_BYTES + directoryBytes, 16)

  const command = commandsOf(code).find(({ kind }) => kind === CODE_SIGNATURE)
  if (!command) throw new Error('no load command for a signature')
  code.writeUInt32LE(codeBytes, command.at + 8)
  code.writeUInt32LE(signatureBytes, command.at + 12)
  const linkeditBytes = codeBytes + signatureBytes - Number(code.readBigUInt64LE(linkedit.at + 40))
  code.writeBigUInt64LE(BigInt(align(linkeditBytes, SEGMENT_ALIGNMENT)), linkedit.at + 32)
  code.writeBigUInt64LE(BigInt(linkeditBytes), linkedit.at + 48)

  const textRange = { offset: code.readBigUInt64LE(text.at + 40), bytes: code.readBigUInt64LE(text.at + 48) }
  const directory = writeDirectory(code, ident, slots, textRange)
  const signature = Buffer.alloc(signatureBytes)
  // A super blob with one blob, the code directory (0), directly behind its header.
  for (const [index, value] of [0xfade0cc0, SUPER_BLOB_BYTES + directoryBytes, 1, 0, SUPER_BLOB_BYTES].entries())
    signature.writeUInt32BE(value, index * 4)
  directory.copy(signature, SUPER_BLOB_BYTES)
  return Buffer.concat([code, signature])
}

/** The file without its old signature, padded to 16 bytes, with a load command for the new one. */
function withRoomForSignature(program: Buffer): { code: Buffer; linkedit: Command; text: Command } {
  const commands = commandsOf(program)
  const previous = commands.find(({ kind }) => kind === CODE_SIGNATURE)
  const end = previous ? program.readUInt32LE(previous.at + 8) : program.length
  const code = Buffer.alloc(align(end, 16))
  program.copy(code, 0, 0, end)
  if (!previous) addCommand(code, commands)
  const [linkedit, text] = ['__LINKEDIT', '__TEXT'].map((name) =>
    commands.find((command) => command.kind === SEGMENT_64 && segmentName(program, command) === name),
  )
  if (!linkedit || !text) throw new Error('no __LINKEDIT or no __TEXT')
  return { code, linkedit, text }
}

/** Uses the zero-filled gap between the load commands and the first section. */
function addCommand(code: Buffer, commands: readonly Command[]): void {
  const last = commands.at(-1)
  const at = last ? last.at + last.size : HEADER_BYTES
  if (code.subarray(at, at + 16).some((byte) => byte !== 0)) throw new Error('no room for another load command')
  code.writeUInt32LE(CODE_SIGNATURE, at)
  code.writeUInt32LE(16, at + 4)
  code.writeUInt32LE(code.readUInt32LE(16) + 1, 16)
  code.writeUInt32LE(code.readUInt32LE(20) + 16, 20)
}

function writeDirectory(code: Buffer, ident: Buffer, slots: number, text: { offset: bigint; bytes: bigint }): Buffer {
  const hashesAt = DIRECTORY_BYTES + ident.length
  const directory = Buffer.alloc(hashesAt + slots * HASH_BYTES)
  const head = [
    0xfade0c02,
    directory.length,
    0x20400, // the version with the range of the text
    0x2, // ad hoc
    hashesAt,
    DIRECTORY_BYTES,
    0, // no special slots: no resources, no entitlements
    slots,
    code.length,
  ]
  for (const [index, value] of head.entries()) directory.writeUInt32BE(value, index * 4)
  directory.writeUInt8(HASH_BYTES, 36)
  directory.writeUInt8(2, 37) // SHA-256
  directory.writeUInt8(PAGE_BITS, 39)
  directory.writeBigUInt64BE(text.offset, 64)
  directory.writeBigUInt64BE(text.bytes, 72)
  directory.writeBigUInt64BE(1n, 80) // the main program
  ident.copy(directory, DIRECTORY_BYTES)
  for (let slot = 0; slot < slots; slot++) {
    const page = code.subarray(slot * 2 ** PAGE_BITS, (slot + 1) * 2 ** PAGE_BITS)
    createHash('sha256')
      .update(page)
      .digest()
      .copy(directory, hashesAt + slot * HASH_BYTES)
  }
  return directory
}
