import { describe, expect, it } from 'vitest'
import {
  previewFindings,
  previewHostState,
  type PreviewPoint,
  previewNumbers,
  previewOffline,
  type PreviewedIncident,
} from './preview.ts'

const STEP = 300_000
const rule = (own: object = {}) => ({ operator: 'greater_than', value: 90, clear_value: null, for_seconds: 0, ...own }) as const
const points = (values: readonly (number | null)[]): PreviewPoint[] =>
  values.map((value, index) => ({ atMs: index * STEP, extreme: value, mean: value }))
const incidentsText = (found: readonly PreviewedIncident[]): string =>
  found
    .map(({ openedAtMs, resolvedAtMs }) => `${openedAtMs / STEP}-${resolvedAtMs === null ? '' : resolvedAtMs / STEP}`)
    .join(' ')

describe('a rule on a number would have opened', () => {
  it.each([
    ['at the end of the step that shows it', rule(), [50, 95, 95, 50, 95], '2-4 5-'],
    ['once while nothing is known', rule(), [95, null, 95], '1-'],
    ['until clear_value', rule({ clear_value: 60 }), [95, 70, 60], '1-3'],
    ['by the mean of three steps', rule({ for_seconds: 900 }), [0, 96, 96, 96, 0, 0], '4-5'],
    ['by no mean of too few', rule({ for_seconds: 900 }), [99, 99, null, 99], ''],
    ['never', rule(), [1, 2, null], ''],
  ] as const)('%s', (_, given, values, expected) =>
    expect(incidentsText(previewNumbers(given, points(values), STEP))).toBe(expected),
  )
})

describe('a rule on the state of a host would have opened', () => {
  const states = (values: readonly (readonly [number, number] | null)[]): PreviewPoint[] =>
    values.map((value, index) => ({ atMs: index * STEP, extreme: value?.[1] ?? null, mean: value?.[0] ?? null }))
  it.each([
    [
      'by the most of a step',
      rule({ value: 0 }),
      [
        [0, 0],
        [0.1, 1],
        [0, 0],
      ],
      '2-3',
    ],
    [
      'once it held for three steps',
      rule({ value: 0, for_seconds: 900 }),
      [
        [0.5, 1],
        [2, 2],
        [1, 1],
        [1, 1],
        [0.9, 1],
      ],
      '4-5',
    ],
    [
      'not where it was interrupted',
      rule({ value: 0, for_seconds: 600 }),
      [
        [1, 1],
        [0.9, 1],
        [1, 1],
        [0, 0],
      ],
      '',
    ],
    ['while nothing is known', rule({ value: 0, for_seconds: 600 }), [[1, 1], null, [1, 1], null], '3-'],
    [
      'below a value',
      rule({ operator: 'less_than', value: 1, for_seconds: 600 }),
      [
        [0, 0],
        [0.1, 0.1],
        [0, 0],
        [0, 0],
      ],
      '4-',
    ],
  ] as const)('%s', (_, given, values, expected) =>
    expect(incidentsText(previewHostState(given, states(values), STEP))).toBe(expected),
  )
})

it('a preview shows a server as offline after the grace without samples, and never before its first sample', () => {
  const values = [null, null, 1, 1, null, null, null, 1, null]
  expect(incidentsText(previewOffline(rule(), points(values), STEP, 180_000))).toBe('4.6-7 8.6-')
  expect(incidentsText(previewOffline(rule({ for_seconds: 600 }), points(values), STEP, 180_000))).toBe('6.6-7')
})

describe('a rule on a finding would have opened', () => {
  const found = { operator: 'equals', value: 1 } as const
  const change = (step: number, isFound: boolean, wasFound = !isFound) => ({ atMs: step * STEP, isFound, wasFound })
  it.each([
    ['from its begin to its end', rule(found), [change(2, true), change(5, false), change(7, true)], 7, '2-5 7-'],
    ['after its duration', rule({ ...found, for_seconds: 600 }), [change(2, true), change(3, false), change(5, true)], 5, '7-'],
    ['at once for what was found before', rule(found), [change(4, false)], undefined, '0-4'],
    ['for what has been found all the time', rule(found), [], -3, '0-'],
    ['nothing where another thing changed', rule(found), [change(3, false, false)], undefined, ''],
    ['nothing without a finding', rule(found), [], undefined, ''],
  ] as const)('%s', (_, own, changes, since, expected) => {
    const sinceMs = since === undefined ? undefined : since * STEP
    expect(incidentsText(previewFindings(own, changes, sinceMs, 0, 10 * STEP))).toBe(expected)
  })
})
