import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { expect, test } from 'vitest'
import { createCatalogue } from './catalogue.ts'
import type { Scope, SeriesSource, Wanted } from './sources/source.ts'

const nowMs = 1_796_000_000_000
const scope = { plan: 'enterprise', nowMs } as Scope

test.each([
  ['from the beginning of time to the end', 0, 4_102_444_800_000, [[nowMs - 400 * DAY_MS, nowMs + HOUR_MS]]],
  ['within', nowMs - DAY_MS, nowMs, [[nowMs - DAY_MS, nowMs]]],
  ['before anything is kept', 0, DAY_MS, []],
  ['of the future', nowMs + DAY_MS, nowMs + 2 * DAY_MS, []],
])('a range %s is read where something can be', async (_name, fromMs, toMs, expected) => {
  const read: Wanted[] = []
  const source: SeriesSource = {
    families: [],
    mayHave: () => true,
    list: () => Promise.resolve([]),
    read: (_scope, wanted) => {
      read.push(wanted)
      return Promise.resolve({ series: [] })
    },
  }
  const selection = { id: 0, matchers: [], fromMs, toMs, stepMs: 0, rangeMs: undefined, func: undefined, grouping: undefined }
  await createCatalogue([source], 400 * DAY_MS).read(scope, selection)
  expect(read.map((wanted) => [wanted.fromMs, wanted.toMs])).toEqual(expected)
})
