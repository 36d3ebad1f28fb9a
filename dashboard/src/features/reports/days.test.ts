import { describe, expect, it } from 'vitest'
import { countDays, daysOf, shiftedDay } from './days.ts'
import { REPORT_PERIODS, reportSearch, shownSearch } from './search.ts'

describe('the days of a report', () => {
  it.each([
    [
      '2026-11-25T12:00Z',
      'UTC',
      '2026-11-01 2026-11-30',
      '2026-10-01 2026-10-31',
      '2026-10-01 2026-12-31',
      '2026-07-01 2026-09-30',
    ],
    [
      '2026-01-31T12:00Z',
      'UTC',
      '2026-01-01 2026-01-31',
      '2025-12-01 2025-12-31',
      '2026-01-01 2026-03-31',
      '2025-10-01 2025-12-31',
    ],
    // It is March in Tokyo already, in a leap year.
    [
      '2028-02-29T16:00Z',
      'Asia/Tokyo',
      '2028-03-01 2028-03-31',
      '2028-02-01 2028-02-29',
      '2028-01-01 2028-03-31',
      '2027-10-01 2027-12-31',
    ],
  ])('at %s in %s are those of whole months and quarters', (now, zone, ...days) => {
    const found = REPORT_PERIODS.map((period) => daysOf({ period }, Date.parse(now), zone))
    expect(found.map(({ from, to }) => `${from} ${to}`)).toEqual(days)
    expect(daysOf({}, Date.parse(now), zone)).toEqual(found[1])
  })

  it('that are chosen replace the period', () => {
    const chosen = { from: '2026-02-28', to: '2026-03-01' }
    expect(daysOf({ ...chosen, period: 'this_month' }, 0, 'UTC')).toEqual(chosen)
    expect([countDays(chosen), shiftedDay('2026-03-01', -1), shiftedDay('2026-12-31', 1)]).toEqual([
      2,
      '2026-02-28',
      '2027-01-01',
    ])
  })
})

describe('the URL of a report', () => {
  it.each([
    [{}, {}],
    [
      { period: 'this_month', of: 'tag', what: 'shop' },
      { period: 'this_month', of: 'tag', what: 'shop' },
    ],
    [{ period: 'yesterday', of: 'server', what: 'x' }, {}],
    [
      { period: 'this_month', from: '2026-10-01', to: '2026-10-02', of: 'page' },
      { from: '2026-10-01', to: '2026-10-02', of: 'page' },
    ],
    [{ from: '2026-13-01', to: '2026-10-02' }, {}],
    [{ from: '2026-02-01', to: '2026-02-30' }, {}],
    [{ from: '2026-10-01', period: 'this_month' }, { period: 'this_month' }],
  ])('%j is read as %j', (query, search) => expect(reportSearch(query)).toEqual(search))
})

describe('the report that is shown', () => {
  const after = (total: number) => ({ summary: { checks: { total } } }) as Parameters<typeof shownSearch>[1]
  it.each([
    ['the last month', {}, after(1), {}],
    [
      'this month, where nothing was checked in the last one',
      { of: 'tag', what: 'x' } as const,
      after(0),
      { period: 'this_month', of: 'tag', what: 'x' },
    ],
    ['a chosen month without checks', { period: 'last_month' } as const, after(0), { period: 'last_month' }],
    ['chosen days without checks', { from: '2026-10-01', to: '2026-10-02' }, after(0), { from: '2026-10-01', to: '2026-10-02' }],
    ['the last month, before there is an answer', {}, undefined, {}],
  ])('is that of %s', (_, search, lastMonth, shown) => expect(shownSearch(search, lastMonth)).toEqual(shown))
})
