import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBinaryPush, encodeBinaryBatch, encodeBinaryPush } from './binary-push.ts'
import { BlockError, decodeBlock } from './block/index.ts'
import { MAX_BATCHES_PER_REQUEST } from './limits.ts'

const T0 = 1_763_661_600_000
const COLUMNS = {
  atMs: Float64Array.of(T0, T0 + 10_000, T0 + 20_001),
  fieldIds: [1, 11],
  values: Float64Array.of(1_234, 1_250, Number.NaN, 8_589_934_592, 8_589_934_592, 8_589_934_592),
}

/** The example of docs/internals/sample-format.md. */
const EXAMPLE = '010f7b22626f6f745f6964223a2262227d027b7d80d4e2a6d466110106904e02022103a41320a60280808008'

test('the example of the documentation is what is written', () => {
  const bytes = encodeBinaryPush({ boot_id: 'b' }, [encodeBinaryBatch({}, COLUMNS)])
  expect(bytes.toString('hex')).toBe(EXAMPLE)
})

test('every part comes back as it was given', () => {
  const { fields, batches } = decodeBinaryPush(
    encodeBinaryPush({ boot_id: 'b' }, [encodeBinaryBatch({ a: 'é' }, COLUMNS), encodeBinaryBatch({}, COLUMNS)]),
  )
  expect(JSON.parse(fields.toString())).toEqual({ boot_id: 'b' })
  expect(batches.map((batch) => JSON.parse(batch.fields.toString()))).toEqual([{ a: 'é' }, {}])
  for (const { block, t0Ms } of batches) expect(decodeBlock(block, t0Ms)).toEqual(COLUMNS)
})

test('instants before 1970 too', () => {
  const before = { atMs: Float64Array.of(-5), fieldIds: [], values: Float64Array.of() }
  expect(decodeBinaryPush(encodeBinaryPush({}, [encodeBinaryBatch({}, before)])).batches[0]?.t0Ms).toBe(-5)
})

test('of more batches than a request may have one more is read', () => {
  const batches = Array.from({ length: 1_000 }, () => encodeBinaryBatch({}, COLUMNS))
  expect(decodeBinaryPush(encodeBinaryPush({}, batches)).batches).toHaveLength(MAX_BATCHES_PER_REQUEST + 1)
})

test.each([
  ['nothing', '', 'version missing is unknown'],
  ['another version', '02', 'version 2 is unknown'],
  ['the version alone', '01', 'number is cut off or too long'],
  ['a length beyond the end', '0105', 'body is cut off'],
  ['a batch without a block', '01027b7d027b7d02', 'number is cut off or too long'],
])('%s is refused', (_, hex, message) => {
  expect(() => decodeBinaryPush(Buffer.from(hex, 'hex'))).toThrow(new BlockError(message))
})

test('any bytes, and any change of a push, have these parts or are refused', () => {
  const whole = encodeBinaryPush({ boot_id: 'b' }, [encodeBinaryBatch({}, COLUMNS)])
  const changed = fc
    .tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length))
    .map(([at, byte, length]) => Buffer.from(whole.with(at, byte)).subarray(0, length))
  const any = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes))
  expect(() => fc.assert(fc.property(fc.oneof(any, changed), isTaken), { numRuns: 2_000 })).not.toThrow()
})

/** Whether the bytes have the parts, none of which is larger than they are, or are refused. */
function isTaken(bytes: Buffer): boolean {
  try {
    const { fields, batches } = decodeBinaryPush(bytes)
    return fields.length + batches.reduce((sum, { block }) => sum + block.length, 0) < bytes.length
  } catch (error) {
    return error instanceof BlockError
  }
}
