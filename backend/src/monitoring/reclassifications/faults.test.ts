import { expect, it } from 'vitest'
import { intervalFaults } from './faults.ts'

const DAY = 86_400_000
const now = Date.UTC(2026, 10, 30, 12)
const today = Date.UTC(2026, 10, 30)
const faults = (fromMs: number, toMs: number) => intervalFaults({ fromMs, toMs }, now).map(({ path }) => path)

it.each<[string, number, number, string[]]>([
  ['a minute until now', now - 60_000, now, []],
  ['nothing', now - 60_000, now - 60_000, ['to']],
  ['the future', now - 60_000, now + 1, ['to']],
  ['part of a day 33 days ago', today - 33 * DAY + 1, today - 33 * DAY + 2, []],
  ['part of a day 34 days ago', today - 34 * DAY + 1, today - 33 * DAY + 2, ['from']],
  ['an end within a day 34 days ago', today - 35 * DAY, today - 34 * DAY + 1, ['to']],
  ['whole days of 89 days', today - 89 * DAY, today - 40 * DAY, []],
  ['whole days until now', today - 89 * DAY, now, []],
  ['more than 90 days', today - 90 * DAY, today - 89 * DAY, ['from']],
])('%s', (_title, fromMs, toMs, paths) => expect(faults(fromMs, toMs)).toEqual(paths))
