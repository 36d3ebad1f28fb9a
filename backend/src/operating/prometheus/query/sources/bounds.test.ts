import { expect, it } from 'vitest'
import { PromqlError } from '../../../../querying/promql/index.ts'
import { requireWithinBounds } from './bounds.ts'

it('a source may read as much as the bounds say', () => {
  expect(() => requireWithinBounds({ series: 500_000, samples: 50_000_000 })).not.toThrow()
})

it.each([
  [{ series: 500_001 }, 'the query would read 500,001 series, and 500,000 are the bound: select less by labels'],
  [
    { samples: 50_000_001 },
    'the query would read 50,000,001 samples, and 50,000,000 are the bound: take a shorter range, a longer step, or select less by labels',
  ],
])('a source that would read %j is refused in words', (size, message) => {
  const refused = () => requireWithinBounds(size)
  expect(refused).toThrow(PromqlError)
  expect(refused).toThrow(message)
})
