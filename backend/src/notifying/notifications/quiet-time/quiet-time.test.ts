import { expect, it } from 'vitest'
import { quietUntil } from './quiet-time.ts'

const night = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }
const until = (at: string, severity: 'critical' | 'warning' = 'warning', own: object = {}) => {
  const end = quietUntil({ ...night, ...own }, severity, Date.parse(at))
  return end === undefined ? undefined : new Date(end).toISOString()
}

it.each([
  ['2026-11-27T20:59:59Z', undefined],
  ['2026-11-27T21:00:00Z', '2026-11-28T06:00:00.000Z'],
  ['2026-11-28T05:59:59Z', '2026-11-28T06:00:00.000Z'],
  ['2026-11-28T06:00:00Z', undefined],
  // The night in which the clock goes back has an hour more, that in which it goes forward one less.
  ['2026-10-24T20:00:00Z', '2026-10-25T06:00:00.000Z'],
  ['2027-03-27T21:00:00Z', '2027-03-28T05:00:00.000Z'],
])('at %s a night in Berlin ends at %s', (at, end) => {
  expect(until(at)).toBe(end)
})

it('lets critical incidents pass only by choice', () => {
  expect(until('2026-11-27T23:00:00Z', 'critical')).toBeUndefined()
  expect(until('2026-11-27T23:00:00Z', 'critical', { critical_passes: false })).toBe('2026-11-28T06:00:00.000Z')
})

it('may be within a day', () => {
  const noon = { from: '12:00', to: '13:00' }
  expect(until('2026-11-27T11:30:00Z', 'warning', noon)).toBe('2026-11-27T12:00:00.000Z')
  expect(until('2026-11-27T12:00:00Z', 'warning', noon)).toBeUndefined()
})
