import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeChecks, encodeChecks, type StoredCheck } from './hour-block.ts'

const START = 1_795_000_000_000 - (1_795_000_000_000 % 3_600_000)

const check = fc.record({
  offset: fc.integer({ min: 0, max: 3_599_999 }),
  outcome: fc.integer({ min: 0, max: 2 }),
  responseUs: fc.option(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
})
const hour = fc
  .array(check, { maxLength: 200 })
  .map((checks): StoredCheck[] =>
    checks
      .sort((a, b) => a.offset - b.offset)
      .map(({ offset, outcome, responseUs }) => ({ atMs: START + offset, outcome, responseUs })),
  )

function decode(data: Uint8Array): StoredCheck[] {
  const checks: StoredCheck[] = []
  decodeChecks(START, data, (atMs, outcome, responseUs) => checks.push({ atMs, outcome, responseUs }))
  return checks
}

/** Whether the bytes were read within their bounds, or refused as none. */
function endOf(bytes: Uint8Array): boolean {
  try {
    return decode(bytes).length <= bytes.length
  } catch (error) {
    return (error as Error).message.startsWith('invalid ')
  }
}

describe('the block of an hour', () => {
  it('decodes to the encoded checks', () => {
    fc.assert(
      fc.property(hour, (checks) => {
        expect(decode(encodeChecks(START, checks))).toEqual(checks)
      }),
    )
  })

  it('takes five or six bytes for a check each 30 s', () => {
    const checks = Array.from({ length: 120 }, (_, index) => ({ atMs: START + index * 30_000, outcome: 0, responseUs: 80_000 }))
    expect(encodeChecks(START, checks).length / 120).toBeLessThan(6.1)
  })

  it('refuses truncated bytes, another version and trailing bytes', () => {
    const whole = encodeChecks(START, [
      { atMs: START + 7, outcome: 2, responseUs: null },
      { atMs: START + 90_000, outcome: 1, responseUs: 1_234_567 },
    ])
    for (let length = 0; length < whole.length; length += 1) expect(() => decode(whole.subarray(0, length))).toThrow('invalid ')
    expect(() => decode(Buffer.concat([whole, Buffer.of(0)]))).toThrow('trailing bytes')
    expect(() => decode(Buffer.concat([Buffer.of(2), whole.subarray(1)]))).toThrow('version 2')
    expect(() => decode(Buffer.of(1, 255, 255, 255, 255, 127))).toThrow('invalid block of checks')
  })

  it('is decoded or refused for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(endOf(bytes)).toBe(true)
      }),
    )
  })
})
