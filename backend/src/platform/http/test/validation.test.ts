import { describe, expect, it } from 'vitest'
import { findUnstorable, MAX_DEPTH } from '../validation.ts'

describe('text that the database cannot keep', () => {
  it.each([
    [{ a: 'fine', b: ['fine', { c: 1, d: null }] }, undefined],
    [undefined, undefined],
    ['nul\0', ''],
    [{ a: 'nul\0' }, 'a'],
    [{ a: [{ b: 'x' }, { b: '\ud800' }] }, 'a.1.b'],
    [['x', 'y', '\udfff'], '2'],
    [{ a: { 'nul\0': 1 } }, 'a'],
    [{ '\ud800': 1 }, ''],
  ])('of %j is found at %j', (body, path) => expect(findUnstorable(body)).toBe(path))

  it('is found in 32 levels, and more of them are refused at once', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}"\\u0000"${']'.repeat(levels)}`)
    expect(findUnstorable(nested(MAX_DEPTH))).toMatch(/^0\.0\.0/)
    for (const levels of [MAX_DEPTH + 1, 500_000])
      expect(() => findUnstorable(nested(levels))).toThrow('is nested deeper than 32 levels')
  })

  it.each([
    ['numbers', `[${'0,'.repeat(500_000)}0]`],
    ['objects', `[${'{},'.repeat(340_000)}{}]`],
    ['names', `{${Array.from({ length: 65_536 }, (_, index) => `"k${index}":[]`).join()}}`],
  ])('is looked for in a full body of %s at about the price of parsing it', (_, text) => {
    const parsing = cpuOf(() => JSON.parse(text))
    const body: unknown = JSON.parse(text)
    // By building the path of every part, numbers took some 50 times as much.
    expect(cpuOf(() => findUnstorable(body))).toBeLessThan(30 + 10 * parsing)
  })
})

/** The least of three: ms of CPU. */
function cpuOf(task: () => unknown): number {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    task()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...costs)
}
