import { describe, expect, it } from 'vitest'
import { localTimeAt, instantAt } from './time-zone.ts'

const iso = (local: string, zone: string) => {
  const ms = instantAt(local, zone)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('a local time', () => {
  it.each([
    ['2026-07-01T12:00', 'UTC', '2026-07-01T12:00:00.000Z'],
    ['2026-07-01T12:00', 'Europe/Berlin', '2026-07-01T10:00:00.000Z'],
    ['2026-01-01T00:30', 'Europe/Berlin', '2025-12-31T23:30:00.000Z'],
    ['2026-07-01T12:00', 'Asia/Kathmandu', '2026-07-01T06:15:00.000Z'],
    ['2026-07-01T12:00', 'America/St_Johns', '2026-07-01T14:30:00.000Z'],
    ['2026-07-01T00:15', 'Pacific/Kiritimati', '2026-06-30T10:15:00.000Z'],
    // Right before and right after each daylight saving change.
    ['2026-03-29T01:59', 'Europe/Berlin', '2026-03-29T00:59:00.000Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T01:59', 'Europe/Berlin', '2026-10-24T23:59:00.000Z'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    // This time exists twice; the first one counts.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ])('%s in %s is the instant %s', (local, zone, expected) => {
    expect(iso(local, zone)).toBe(expected)
    expect(localTimeAt(Date.parse(expected), zone)).toBe(local)
  })

  it.each(['2026-03-29T02:30', '', 'tomorrow', '2026-13-01T00:00'])('%s does not exist in Berlin', (local) => {
    expect(iso(local, 'Europe/Berlin')).toBeUndefined()
  })
})
