import { expect, test } from 'vitest'
import { MAX_PUSH_BYTES } from '@vedette/shared/metrics/limits'
import { BatchQueue, pushBody, type QueuedBatch } from './queue.ts'

const batch = (id: string, bytes = 10): QueuedBatch => ({ id, bytes: Buffer.alloc(bytes, '1'), samples: 6 })
const ids = (batches: readonly QueuedBatch[]) => batches.map(({ id }) => id).join('')

test('the newest goes first, then the backlog from its oldest', () => {
  const queue = new BatchQueue()
  for (const id of 'abcde') queue.add(batch(id))
  expect(ids(queue.next(2))).toBe('e')
  queue.remove(queue.next(2))
  expect(ids(queue.next(2))).toBe('ab')
  queue.add(batch('f'))
  expect(ids(queue.next(2))).toBe('f')
})

test('a request holds no more bytes than it may, and at least one batch', () => {
  const queue = new BatchQueue()
  for (const id of 'abc') queue.add(batch(id, MAX_PUSH_BYTES / 2 - 1_000))
  expect(ids(queue.oldest(60))).toBe('ab')
  const big = new BatchQueue()
  big.add(batch('x', MAX_PUSH_BYTES * 2))
  expect(ids(big.oldest(60))).toBe('x')
})

test('when full the oldest give way and are told', () => {
  const queue = new BatchQueue(25)
  expect([queue.add(batch('a')), queue.add(batch('b'))]).toEqual([[], []])
  expect(ids(queue.add(batch('c')))).toBe('a')
  expect([queue.length, queue.bytes, queue.samples]).toEqual([2, 20, 12])
})

test('what is gone already is removed once', () => {
  const queue = new BatchQueue()
  const one = batch('a')
  queue.add(one)
  queue.remove([one])
  queue.remove([one])
  expect([queue.length, queue.bytes, queue.samples, queue.next(1)]).toEqual([0, 0, 0, []])
})

test('the request carries the bytes of the batches as they are', () => {
  const two = [
    { id: 'a', bytes: Buffer.from('{"a":1}'), samples: 1 },
    { id: 'b', bytes: Buffer.from('{"b":2}'), samples: 1 },
  ]
  expect(pushBody(two, 'boot').toString()).toBe('{"boot_id":"boot","batches":[{"a":1},{"b":2}]}')
  expect(pushBody(two, undefined).toString()).toBe('{"batches":[{"a":1},{"b":2}]}')
})
