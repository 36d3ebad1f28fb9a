import { expect, test } from 'vitest'
import { type CachedHost, createHostCache } from './host-cache.ts'

const family = { name: 'x', type: 'gauge', help: 'X.' } as const
const hostOf = (size: number, facts = 'a'): CachedHost => ({ facts, about: [[family, 'x'.repeat(size)]] })

test('a host is found by its id while its facts stay the same', () => {
  const cache = createHostCache()
  const host = hostOf(1)
  cache.keep('1', host)
  expect([cache.find('1', 'a', 0), cache.find('1', 'b', 0), cache.find('2', 'a', 0)]).toEqual([host, undefined, undefined])
})

test('what has no room is not kept, and what grew beyond it is evicted', () => {
  const cache = createHostCache(10)
  cache.keep('1', hostOf(6))
  cache.keep('2', hostOf(5))
  expect([cache.find('1', 'a', 0) !== undefined, cache.find('2', 'a', 0)]).toEqual([true, undefined])
  cache.keep('1', hostOf(11))
  expect(cache.find('1', 'a', 0)).toBeUndefined()
  cache.keep('2', hostOf(10))
  expect(cache.find('2', 'a', 0)).toBeDefined()
})

test('a host that nobody reads for five minutes is evicted', () => {
  const cache = createHostCache(10)
  cache.keep('read', hostOf(5))
  cache.keep('idle', hostOf(5))
  cache.sweep(200_000)
  expect(cache.find('read', 'a', 200_000)).toBeDefined()
  cache.sweep(400_000)
  expect([cache.find('read', 'a', 400_000) !== undefined, cache.find('idle', 'a', 400_000)]).toEqual([true, undefined])
  cache.keep('next', hostOf(5))
  expect(cache.find('next', 'a', 400_000)).toBeDefined()
})
