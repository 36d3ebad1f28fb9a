/** What each byte adds to a CRC-32 (polynomial 0xedb88320, the one of zlib). */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0xedb88320
  return value
})

/** CRC-32 of bytes [start, end), going on from `before`. Not zlib's own, because that module with all it loads is 0.5 MB. */
export function crc32(bytes: Uint8Array, start: number, end: number, before = 0): number {
  let value = ~before
  for (let index = start; index < end; index++) {
    value = (value >>> 8) ^ (TABLE[(value ^ (bytes[index] ?? 0)) & 255] ?? 0)
  }
  return ~value >>> 0
}
