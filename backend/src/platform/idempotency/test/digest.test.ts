import { describe, expect, it } from 'vitest'
import { digestOf } from '../digest.ts'

const hex = (value: unknown) => digestOf(value).toString('hex')

describe('the digest of a request', () => {
  it('is the same for any order of fields, at any depth', () => {
    expect(hex({ a: 1, b: { c: [1, { x: 1, y: 2 }], d: null } })).toBe(hex({ b: { d: null, c: [1, { y: 2, x: 1 }] }, a: 1 }))
  })

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [
      [1, [2]],
      [[1], 2],
    ],
    [['a', 'b'], ['a,b']],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [[], {}],
    [[[]], [[], []]],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
    ['', null],
  ])('distinguishes %j from %j', (one, other) => expect(hex(one)).not.toBe(hex(other)))

  it('takes what is deep and what is long', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    expect(hex(deep)).toMatch(/^[0-9a-f]{64}$/)
    expect(hex(Array.from({ length: 500_000 }, () => 1))).toMatch(/^[0-9a-f]{64}$/)
  })
})
