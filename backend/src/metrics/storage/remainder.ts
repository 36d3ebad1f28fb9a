/**
 * Postgres stores `data` outside of the row in chunks of 1,996 bytes, four to a page, where a shorter last chunk takes the room of a
 * full one: up to a fifth of an hour. So what follows the last full chunk is in the row, as `remainder`.
 */
const CHUNK = 1_996
/** Three such rows fit a page. */
const MAX_ROW_BYTES = 2_800

export function splitData({ header, data }: { header: Uint8Array; data: Uint8Array }): {
  data: Uint8Array
  remainder: Uint8Array
} {
  const length = data.length % CHUNK
  const isInRow = data.length >= CHUNK && header.length + length <= MAX_ROW_BYTES
  const end = isInRow ? data.length - length : data.length
  return { data: data.subarray(0, end), remainder: data.subarray(end) }
}
