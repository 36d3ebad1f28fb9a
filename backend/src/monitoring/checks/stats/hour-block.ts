/**
 * The conclusive checks of one monitor, region and hour as bytes: a version, their number, then for each check the milliseconds
 * since the previous one (the first: since the start of the hour), and (response time in µs + 1, or 0 without a response) × 4 +
 * outcome, all as varints. About 5 bytes per check.
 */
const VERSION = 1
/** One check per millisecond: a higher number is invalid data. */
const MAX_CHECKS = 3_600_000

export interface StoredCheck {
  atMs: number
  /** 0 up, 1 degraded, 2 down. */
  outcome: number
  /** Null without a response. */
  responseUs: number | null
}

/** Expects checks in order of time, none before `startMs`. */
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

/** Calls `take` for each check in order of time. Throws on invalid bytes. */
export function decodeChecks(
  startMs: number,
  data: Uint8Array,
  take: (atMs: number, outcome: number, responseUs: number | null) => void,
): void {
  if (data[0] !== VERSION) throw new Error(`invalid block of checks: version ${data[0]}`)
  const cursor = { offset: 1 }
  const count = readVarint(data, cursor)
  if (count > MAX_CHECKS) throw new Error(`invalid block of checks: ${count} checks`)
  let atMs = startMs
  for (let index = 0; index < count; index += 1) {
    atMs += readVarint(data, cursor)
    const value = readVarint(data, cursor)
    const time = Math.floor(value / 4)
    take(atMs, value % 4, time === 0 ? null : time - 1)
  }
  if (cursor.offset !== data.length) throw new Error('invalid block of checks: trailing bytes')
}

/** 7 bits per byte, lowest first; the top bit marks that more follow. */
export function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

/** Throws when the bytes end too early or the number exceeds 2^53. */
export function readVarint(data: Uint8Array, cursor: { offset: number }): number {
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = data[cursor.offset]
    if (byte === undefined || factor > 2 ** 49) throw new Error('invalid varint: truncated or too long')
    cursor.offset += 1
    value += (byte % 128) * factor
    if (byte < 128) return value
  }
}
