import { expect, it } from 'vitest'
import { eventsKeptSince } from '../../notifying/event-stream/index.ts'
import { healthSteps } from './health.ts'

const change = (atMs: number, isFound: boolean, wasFound = !isFound) => ({ atMs, isFound, wasFound })
const textOf = (steps: readonly { status: string; atMs: number }[]) => steps.map(({ status, atMs }) => `${status} ${atMs}`).join()

it.each([
  ['from its begin to its end', [change(20, true), change(50, false)], undefined, 'up 10,down 20,up 50'],
  ['that was there before', [change(40, false)], undefined, 'down 10,up 40'],
  ['that has been there all the time', [], 5, 'down 10'],
  ['that is there since, without a change that is kept', [], 30, 'up 10'],
  ['that is not there', [], undefined, 'up 10'],
  ['while other things change', [change(20, true), change(30, true, true), change(40, false)], undefined, 'up 10,down 20,up 40'],
] as const)('a finding %s has the steps of its changes', (_, changes, sinceMs, expected) =>
  expect(textOf(healthSteps(changes, sinceMs, 10))).toBe(expected),
)

it.each([
  ['2026-11-27T12:00:00Z', '2026-11-01'],
  ['2026-11-10T00:00:00Z', '2026-11-01'],
  ['2026-11-09T23:59:59Z', '2026-10-01'],
  ['2027-01-05T00:00:00Z', '2026-12-01'],
])('at %s all events since %s are kept: a month goes once it ended nine days ago', (now, since) =>
  expect(new Date(eventsKeptSince(Date.parse(now))).toISOString().slice(0, 10)).toBe(since),
)
