import { describe, expect, it } from 'vitest'
import { printFigures, toReported } from '../lib/result.ts'

describe('a figure of a bench', () => {
  it('has its ratio to the peer, and says whether all goals are met', () => {
    const figure = {
      name: 'push',
      value: 80,
      unit: 'µs',
      goal: { atMost: 90 },
      peer: { name: 'peer', value: 100, goal: { atMost: 0.6 } },
    }
    expect(toReported(figure)).toMatchObject({ ratio: 0.8, met: false })
  })

  it.each([
    { name: 'empty', value: Number.NaN, unit: 'ms' },
    { name: 'empty', value: 1, unit: 'ms', peer: { name: 'peer', value: Number.NaN } },
  ])('that was not measured is an error: %j', (figure) => {
    expect(() => printFigures([figure])).toThrow('no figure was measured: empty')
  })
})
