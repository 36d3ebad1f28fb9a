import { DAY_MS, HOUR_MS } from '@vedette/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planWindow } from './window-plan.ts'

const window = fc
  .tuple(fc.integer({ min: 0, max: 40 * DAY_MS }), fc.integer({ min: 1, max: 35 * DAY_MS }))
  .map(([fromMs, length]) => ({ fromMs, toMs: fromMs + length }))
const progress = fc.record({ hour: fc.integer({ min: -1, max: 80 * 24 }), day: fc.integer({ min: -1, max: 80 }) })

it('the parts of a plan cover each instant of the window exactly once', () => {
  fc.assert(
    fc.property(window, progress, fc.boolean(), (wanted, { hour, day }, withDays) => {
      // A day is done only when its hours are.
      const done = { hour, day: Math.min(day, Math.floor((hour + 1) / 24) - 1) }
      const { days, hours, raw } = planWindow(wanted, done, withDays)
      const parts = [
        ...(days.from < days.to ? [{ fromMs: days.from * DAY_MS, toMs: days.to * DAY_MS }] : []),
        ...hours.map(({ from, to }) => ({ fromMs: from * HOUR_MS, toMs: to * HOUR_MS })),
        ...raw,
      ].sort((a, b) => a.fromMs - b.fromMs)
      expect(parts[0]?.fromMs).toBe(wanted.fromMs)
      expect(parts.at(-1)?.toMs).toBe(wanted.toMs)
      for (const [index, part] of parts.entries()) {
        expect(part.fromMs).toBeLessThan(part.toMs)
        expect(parts[index + 1]?.fromMs ?? part.toMs).toBe(part.toMs)
      }
      expect(days.to <= done.day + 1 || days.from >= days.to).toBe(true)
      for (const { to } of hours) expect(to).toBeLessThanOrEqual(done.hour + 1)
      expect(withDays || days.from >= days.to).toBe(true)
    }),
  )
})
