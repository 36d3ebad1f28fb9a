import { expect, test } from 'vitest'
import { createBodyBuffer, MAX_BODY_BYTES } from './body.ts'

const LARGE = 5_000

test.each([
  [[]],
  [[1]],
  [[1, 1, 1]],
  [[LARGE]],
  [[1, LARGE, 1, 1, LARGE, LARGE, 3]],
  [[10, 4_095, 1, 1]],
  [[10, 4_000, 96, 4_096, 4_000, 97]],
  [Array.from({ length: 10_000 }, () => 1)],
])('pieces of %j bytes are joined unchanged', (sizes) => {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const sent = Buffer.from(Array.from({ length: total }, (_, at) => at % 251))
  const body = createBodyBuffer()
  // One memory for all, as the sockets' readers have it.
  const shared = Buffer.alloc(LARGE)
  let at = 0
  for (const size of sizes) {
    sent.copy(shared, 0, at, at + size)
    body.add(shared, 0, size)
    at += size
  }
  expect(body.length).toBe(sent.length)
  expect(body.bytes().equals(sent)).toBe(true)
})

test('it accepts more bytes after a read, up to its limit', () => {
  const body = createBodyBuffer()
  for (const text of ['a', 'b', 'c']) body.add(Buffer.from(text), 0, 1)
  expect(body.bytes().toString()).toBe('abc')
  body.add(Buffer.from('-d-'), 1, 2)
  expect(body.bytes().toString()).toBe('abcd')
  body.add(Buffer.alloc(MAX_BODY_BYTES, 'x'), 0, MAX_BODY_BYTES)
  expect(body.isFull).toBe(true)
  expect(body.bytes()).toHaveLength(MAX_BODY_BYTES)
})
