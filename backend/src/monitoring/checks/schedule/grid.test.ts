import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextDue, nextOnGrid } from './grid.ts'

const MINUTE = { anchorMs: 1_000_000, intervalMs: 60_000 }
const at = (seconds: number): number => 1_000_000 + seconds * 1000

describe('the next slot of the grid', () => {
  it.each([
    [at(0), at(0)],
    [at(0) + 1, at(60)],
    [at(59.999), at(60)],
    [at(60), at(60)],
    [at(-0.001), at(0)],
    [at(-61), at(-60)],
    [at(6_000_000), at(6_000_000)],
  ])('after %i is %i', (from, to) => expect(nextOnGrid(MINUTE, from)).toBe(to))
})

describe('the next check', () => {
  it.each<[string, number, number, boolean, number]>([
    ['of one that was quick', at(0), at(0.2), false, at(60)],
    ['of one that was started late', at(0), at(7), false, at(60)],
    ['of one that hung until its next slot', at(0), at(60.05), false, at(60)],
    ['of one that hung for longer', at(0), at(61.5), false, at(120)],
    ['of one whose result is old', at(0), at(0.2), false, at(60)],
    ['to repeat one', at(0), at(10), true, at(15)],
    ['to repeat one, where the repeat falls on the grid', at(0), at(55), true, at(60) + 1],
    ['of a repeat', at(5.2), at(5.3), false, at(60)],
    ['of a first check', at(31.234), at(31.5), false, at(60)],
    ['of a first check just before its slot', at(58.5), at(58.6), false, at(120)],
  ])('is due as expected: %s', (_, dueAtMs, endedAtMs, repeats, next) => {
    expect(nextDue(MINUTE, dueAtMs, endedAtMs, repeats)).toBe(next)
  })

  it('is on the grid after the previous one, or a repeat five seconds after its end and off the grid', () => {
    const grids = fc.record({ anchorMs: fc.nat(1e12), intervalMs: fc.integer({ min: 10, max: 86_400 }).map((s) => s * 1000) })
    fc.assert(
      fc.property(grids, fc.nat(1e12), fc.nat(120_000), fc.boolean(), (grid, dueAtMs, tookMs, repeats) => {
        const endedAtMs = dueAtMs + tookMs
        const next = nextDue(grid, dueAtMs, endedAtMs, repeats)
        expect(nextOnGrid(grid, next) === next).toBe(!repeats)
        expect(next).toBeGreaterThan(dueAtMs)
        const [least, most] = repeats ? [5_000, 5_001] : [-Infinity, grid.intervalMs + 5_000]
        expect(next - endedAtMs).toBeGreaterThanOrEqual(least)
        expect(next - endedAtMs).toBeLessThanOrEqual(most)
      }),
    )
  })
})
