import { describe, expect, it } from 'vitest'
import { ago, clock, dayAndClock, exact, inViewerZone } from './time.ts'

const AT = Date.parse('2026-11-20T23:30:05.000Z')

describe('time', () => {
  it.each([
    [0, '0 s ago'],
    [-5, '0 s ago'],
    [89, '89 s ago'],
    [90, '2 min ago'],
    [5_399, '90 min ago'],
    [5_400, '2 h ago'],
    [129_600, '2 d ago'],
  ])('%d seconds ago is shown as %s', (seconds, text) => {
    expect(ago(new Date(AT - seconds * 1_000).toISOString(), AT)).toBe(text)
  })

  it('is shown in the time zone of the viewer, also across midnight', () => {
    expect([clock(AT, 'UTC'), clock(AT, 'Asia/Tokyo'), clock(AT, 'America/St_Johns')]).toEqual(['23:30', '08:30', '20:00'])
    expect([dayAndClock(AT, 'UTC'), dayAndClock(AT, 'Asia/Tokyo')]).toEqual(['20 Nov 23:30', '21 Nov 08:30'])
  })

  it('is shown to the second with its time zone', () => {
    expect(exact(AT, 'UTC')).toMatch(/20 Nov 2026.*23:30:05 UTC/)
    expect(exact(AT, 'Europe/Berlin')).toMatch(/21 Nov 2026.*00:30:05 (?:CET|GMT\+1)/)
  })
})

const WRITTEN = Date.parse('2026-11-21T16:55:30Z')

it.each([
  ['web-1 is offline (last seen 16:50 UTC)', 'Asia/Tokyo', 'web-1 is offline (last seen 01:50)'],
  ['web-1 is offline (last seen 02:10 UTC)', 'Asia/Tokyo', 'web-1 is offline (last seen 21 Nov 11:10)'],
  ['web-1 is offline (last seen 2026-11-20 23:30 UTC)', 'UTC', 'web-1 is offline (last seen 20 Nov 23:30)'],
  ['no ping since 2026-11-21 16:00:05 UTC', 'America/St_Johns', 'no ping since 12:30'],
  ['Clock of 99:99 UTC', 'UTC', 'Clock of 99:99 UTC'],
  ['Shop is down: status 503', 'Asia/Tokyo', 'Shop is down: status 503'],
])('%j is in %s %j', (text, zone, shown) => expect(inViewerZone(text, WRITTEN, zone)).toBe(shown))
