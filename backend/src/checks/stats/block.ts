/**
 * The conclusive checks of one monitor, region and hour as bytes: a version, their number, then for each the milliseconds since
 * the one before (the first: since the hour began) and its response time in microseconds plus one (0: none) times four plus its
 * outcome, all as varints. Some 5 bytes a check.
 */
const VERSION = 1
/** A check a millisecond would be more: whatever claims more is no block. */
const MAX_CHECKS = 3_600_000

export interface StoredCheck {
  atMs: number
  /** 0 up, 1 degraded, 2 down. */
  outcome: number
  /** Null where it got no answer. */
  responseUs: number | null
}

/** In the order of their instants, none before `startMs`. */
export function encodeChecks(startMs: number, checks: readonly StoredCheck[]): Buffer {
  const bytes: number[] = [VERSION]
  pushVarint(bytes, checks.length)
  let before = startMs
  for (const { atMs, outcome, responseUs } of checks) {
    pushVarint(bytes, atMs - before)
    pushVarint(bytes, (responseUs === null ? 0 : responseUs + 1) * 4 + outcome)
    before = atMs
  }
  return Buffer.from(bytes)
}

/** Calls `take` for each check in the order of the instants. Throws on bytes that are no block. */
export function decodeChecks(
  startMs: number,
  data: Uint8Array,
  take: (atMs: number, outcome: number, responseUs: number | null) => void,
): void {
  if (data[0] !== VERSION) throw new Error(`no hour of checks: version ${data[0]}`)
  const cursor = { offset: 1 }
  const count = readVarint(data, cursor)
  if (count > MAX_CHECKS) throw new Error(`no hour of checks: ${count} of them`)
  let atMs = startMs
  for (let index = 0; index < count; index += 1) {
    atMs += readVarint(data, cursor)
    const value = readVarint(data, cursor)
    const time = Math.floor(value / 4)
    take(atMs, value % 4, time === 0 ? null : time - 1)
  }
  if (cursor.offset !== data.length) throw new Error('no hour of checks: bytes are left over')
}

/** 7 bits a byte, lowest first; the top bit says that more follow. */
export function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

/** Throws where the bytes end too early or the number is beyond 2^53. */
export function readVarint(data: Uint8Array, cursor: { offset: number }): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = data[cursor.offset]
    if (byte === undefined || factor > 2 ** 49) throw new Error('no varint: cut short or too long')
    cursor.offset += 1
    value += (byte % 128) * factor
    if (byte < 128) return value
  }
}
