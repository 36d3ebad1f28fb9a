import type { Check } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { factCharts } from './fact-charts.ts'
import { factsInShort, newestFacts } from './kind-facts.ts'

/** Checks a minute apart, the newest first. */
const checks = (...facts: Check['facts'][]): Check[] =>
  facts.map((each, index) => ({ checked_at: new Date(3_600_000 - index * 60_000).toISOString(), facts: each }) as Check)

const linesOf = (list: Check[]) =>
  factCharts(list, 60).map(({ unit, title, lines }) => [unit, title, lines.map(({ label, values }) => [label, values])])

describe('the facts of a kind', () => {
  it('share a chart where they share a unit, oldest value first, with a gap where a check found none', () => {
    const list = checks({ packet_loss: 50, rtt_avg_ms: 3, jitter_ms: 1 }, {}, { packet_loss: 0, rtt_avg_ms: 2, jitter_ms: 0.5 })
    expect(linesOf(list)).toEqual([
      ['%', 'Packet loss', [['Packet loss', [0, null, 50]]]],
      [
        'ms',
        '',
        [
          ['Mean round trip', [2, null, 3]],
          ['Jitter', [0.5, null, 1]],
        ],
      ],
    ])
  })

  it('have the time of each step by the name of the step', () => {
    const list = checks({ step_1: 'Sign in: 200, 80.5 ms', step_2: 'Cart: 200, 20 ms' }, { step_1: 'Sign in: 200, 70 ms' })
    expect(linesOf(list)).toEqual([
      [
        'ms',
        '',
        [
          ['Sign in', [70, 80.5]],
          ['Cart', [null, 20]],
        ],
      ],
    ])
    expect(newestFacts(list)).toEqual([
      { label: 'Sign in', text: '200, 80.5 ms' },
      { label: 'Cart', text: '200, 20 ms' },
    ])
  })

  it('have no chart of a text, of a count that stays the same, or of one check', () => {
    expect(
      linesOf(checks({ rcode: 'NOERROR', answer_count: 1, ttl: 300 }, { rcode: 'NOERROR', answer_count: 1, ttl: 200 })),
    ).toEqual([['s', 'Time to live', [['Time to live', [200, 300]]]]])
    expect(linesOf(checks({ rows: 1 }, { rows: 2 }))).toEqual([[undefined, 'Rows', [['Rows', [2, 1]]]]])
    expect([linesOf(checks({ ttl: 1 })), linesOf([]), newestFacts([])]).toEqual([[], [], []])
  })

  it('have at most 1,000 steps, up to the newest check', () => {
    const [first, second] = checks({ ttl: 1 }, { ttl: 2 }) as [Check, Check]
    const old = { ...first, checked_at: new Date(-1e9).toISOString() }
    expect(factCharts([first, second, old], 60).map(({ from, lines }) => [from, lines[0]?.values])).toEqual([[3_540_000, [2, 1]]])
  })

  it('are in short the first two', () => {
    expect(checks({ rtt_avg_ms: 2, rtt_min_ms: 1, packet_loss: 2.5 }, {}).map(factsInShort)).toEqual([
      'Packet loss 2.5 % · Shortest round trip 1 ms',
      '',
    ])
  })
})
