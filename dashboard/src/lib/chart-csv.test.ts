import { expect, it } from 'vitest'
import { csvOf } from './chart-csv.ts'

it('a chart is saved with a row for each step and a column for each line', () => {
  const lines = [
    { label: 'Busy', color: 1, values: [1.5, null, 3] },
    { label: '=HYPERLINK("x")', color: 2, values: [4] },
  ] as const
  expect(csvOf({ from: Date.parse('2026-11-23T00:00:00Z'), stepSeconds: 60, lines })).toBe(
    [
      'time,"Busy","\'=HYPERLINK(""x"")"',
      '2026-11-23T00:00:00.000Z,1.5,4',
      '2026-11-23T00:01:00.000Z,,',
      '2026-11-23T00:02:00.000Z,3,',
      '',
    ].join('\r\n'),
  )
})
