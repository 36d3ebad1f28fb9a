import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { yieldToEventLoop } from '../../process/clock.ts'

const GZIP = 0x1f8b
const ZSTD = 0xfd2fb528

/**
 * Calls `take` with each piece of what gzip or zstd compressed, by the first bytes of the file; others have a turn in between. Resolves
 * with false for any other file. Rejects where the file cannot be read or its data is broken.
 */
export async function eachDecompressed(path: string, take: (piece: Buffer) => void): Promise<boolean> {
  const decompress = await decompressorOf(path)
  if (!decompress) return false
  await pipeline(createReadStream(path), decompress, async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      take(piece)
      await yieldToEventLoop()
    }
  })
  return true
}

async function decompressorOf(path: string) {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer.readUInt16BE(0) === GZIP) return createGunzip()
    return buffer.readUInt32LE(0) === ZSTD ? createZstdDecompress() : undefined
  } finally {
    await file.close()
  }
}
