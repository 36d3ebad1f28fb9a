import type { MonitorStatus } from '@vedette/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countTime, statusSpans } from './times.ts'

const WINDOW = { fromMs: 0, toMs: 60 }
const history = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 70 }), fc.constantFrom<MonitorStatus>('up', 'down', 'degraded', 'paused')), {
    maxLength: 8,
  })
  .map((steps) => {
    let from: MonitorStatus = 'up'
    return steps
      .toSorted(([one], [other]) => one - other)
      .map(([atMs, to]) => {
        const change = { atMs, from, to }
        from = to
        return change
      })
  })

describe('the time of a composite', () => {
  it('is that of each millisecond by the last change before it', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }), (changes, one, other) => {
        const [quietFrom, quietTo] = [Math.min(one, other), Math.max(one, other)]
        const now = changes.at(-1)?.to ?? 'up'
        const expected = { counted: 0, down: 0, degraded: 0 }
        for (let ms = WINDOW.fromMs; ms < WINDOW.toMs; ms += 1) {
          const status = changes.findLast(({ atMs }) => atMs <= ms)?.to ?? 'up'
          if (status === 'paused' || status === 'idle' || (ms >= quietFrom && ms < quietTo)) continue
          expected.counted += 1
          if (status !== 'up') expected[status] += 1
        }
        const spans = statusSpans(changes, now, WINDOW)
        expect(countTime(spans, WINDOW, [{ fromMs: quietFrom, toMs: quietTo }])).toEqual(expected)
      }),
    )
  })

  it('begins with the status before the first change', () => {
    expect(statusSpans([{ atMs: 30, from: 'down', to: 'up' }], 'up', WINDOW)).toEqual([
      { fromMs: 0, toMs: 30, status: 'down' },
      { fromMs: 30, toMs: 60, status: 'up' },
    ])
    expect(statusSpans([], 'degraded', WINDOW)).toEqual([{ ...WINDOW, status: 'degraded' }])
  })
})
