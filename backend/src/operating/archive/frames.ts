import { constants, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Chain, type End, FRAME_HEAD_BYTES, frameHead, type Head, KIND, MAX_FRAME_BYTES, OPENING, SUM_BYTES } from './format.ts'
import type { NewFile } from './new-file.ts'

/** The file is not an export, damaged or cut off; the message names the file and the position. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

export interface FrameWriter {
  head(head: Head): Promise<void>
  rows(table: number, tuples: Uint8Array): Promise<void>
  end(end: End): Promise<void>
}

export function writeFrames(file: NewFile): FrameWriter {
  const chain = new Chain()
  const write = async (kind: number, payload: Uint8Array) => {
    const head = frameHead(kind, payload.length)
    await file.write(Buffer.concat([head, payload, chain.next(head, payload)]))
  }
  return {
    head: async (head) => {
      await file.write(OPENING)
      await write(KIND.head, Buffer.from(JSON.stringify(head)))
    },
    rows: (table, tuples) => {
      const number = Buffer.alloc(2)
      number.writeUInt16BE(table)
      return write(KIND.rows, Buffer.concat([number, zstdCompressSync(tuples)]))
    },
    end: (end) => write(KIND.end, Buffer.from(JSON.stringify(end))),
  }
}

/** A frame with a valid checksum. */
export type Frame = { endsAt: number } & (
  | { kind: 'head'; head: Head }
  | { kind: 'rows'; table: number; tuples(): Buffer }
  | { kind: 'end'; end: End }
)

/** A file that stays open, so that it can be read also after this process became another user. */
export interface OpenArchive {
  path: string
  bytes: number
  handle: FileHandle
}
/** Of an export: its path, or the open file. */
export type ArchiveSource = string | OpenArchive

export const pathOf = (source: ArchiveSource): string => (typeof source === 'string' ? source : source.path)

/** In bytes; 0 where there is no such file. */
export const sizeOf = (source: ArchiveSource): number =>
  typeof source === 'string' ? (statSync(source, { throwIfNoEntry: false })?.size ?? 0) : source.bytes

/** Opens the file for the time of `work`. Throws ArchiveError where it cannot be read. */
export async function withArchive<T>(path: string, work: (archive: OpenArchive) => Promise<T>): Promise<T> {
  // O_NONBLOCK: a pipe must not stop the program.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new ArchiveError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new ArchiveError(`${path} is not a regular file`)
    return await work({ path, bytes: stats.size, handle })
  } finally {
    await handle.close()
  }
}

/** The frames in order, one in memory at a time. Throws ArchiveError at the first invalid one. */
export async function* readFrames(source: ArchiveSource): AsyncGenerator<Frame> {
  if (typeof source !== 'string') return yield* framesOf(source)
  const handle = await open(source, 'r').catch((error: unknown) => {
    throw new ArchiveError(`${source} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  })
  try {
    yield* framesOf({ path: source, handle })
  } finally {
    await handle.close()
  }
}

async function* framesOf({ handle, path }: Pick<OpenArchive, 'handle' | 'path'>): AsyncGenerator<Frame> {
  if (!(await readBytes(handle, 0, OPENING.length)).equals(OPENING)) throw new ArchiveError(`${path} is not an export of Vedette`)
  const chain = new Chain()
  let at = OPENING.length
  let head: Head | undefined
  let section = 'its head'
  for (;;) {
    const fault = (what: string) =>
      new ArchiveError(`${path} ${what} at byte ${at}, in ${section}. Nothing was imported from it.`)
    const start = await readBytes(handle, at, FRAME_HEAD_BYTES)
    if (start.length < FRAME_HEAD_BYTES) throw fault('is cut off')
    const [kind, length] = [start.readUInt8(0), start.readUInt32BE(1)]
    if (length > MAX_FRAME_BYTES) throw fault('is damaged')
    const rest = await readBytes(handle, at + FRAME_HEAD_BYTES, length + SUM_BYTES)
    const payload = rest.subarray(0, length)
    section = sectionOf(kind, payload, head) ?? section
    if (rest.length < length + SUM_BYTES) throw fault('is cut off')
    if (!chain.next(start, payload).equals(rest.subarray(length))) throw fault('is damaged')
    const frame = toFrame(kind, payload, at + FRAME_HEAD_BYTES + rest.length)
    if (!frame || (frame.kind === 'head') !== (head === undefined)) throw fault('has a part that this version does not know')
    if (frame.kind === 'head') head = frame.head
    at = frame.endsAt
    if (frame.kind !== 'end') {
      yield frame
      continue
    }
    section = 'the data after its end'
    if ((await readBytes(handle, at, 1)).length > 0) throw fault('is damaged')
    yield frame
    return
  }
}

/** Fewer where the file ends. */
async function readBytes(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** Derived from bytes that may be damaged. */
function sectionOf(kind: number, payload: Buffer, head: Head | undefined): string | undefined {
  if (kind === KIND.end) return 'its end'
  if (kind !== KIND.rows || payload.length < 2) return undefined
  const table = head?.tables[payload.readUInt16BE(0)]
  return table ? `the rows of ${table.name}` : undefined
}

function toFrame(kind: number, payload: Buffer, endsAt: number): Frame | undefined {
  if (kind === KIND.head) return { kind: 'head', head: JSON.parse(payload.toString()) as Head, endsAt }
  if (kind === KIND.end) return { kind: 'end', end: JSON.parse(payload.toString()) as End, endsAt }
  if (kind !== KIND.rows) return undefined
  const tuples = () => zstdDecompressSync(payload.subarray(2), { maxOutputLength: 4 * MAX_FRAME_BYTES })
  return { kind: 'rows', table: payload.readUInt16BE(0), tuples, endsAt }
}
