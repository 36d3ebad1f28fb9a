import { expect, it } from 'vitest'
import { differencesOf, type DutyEntry } from './compare.ts'

const entry = (fromMs: number, toMs: number, email: string): DutyEntry => ({ fromMs, toMs, email })
const range = { fromMs: 0, toMs: 100 }

it.each<[string, DutyEntry[], DutyEntry[], object[]]>([
  [
    'the same people are no difference, however their times are cut',
    [entry(0, 100, 'Ada@x')],
    [entry(0, 40, 'ada@x'), entry(40, 100, 'ada@x ')],
    [],
  ],
  [
    'another person is one, for as long as they are',
    [entry(0, 100, 'ada')],
    [entry(0, 30, 'ada'), entry(30, 50, 'ben'), entry(50, 100, 'ada')],
    [{ fromMs: 30, toMs: 50, theirs: ['ada'], ours: ['ben'] }],
  ],
  ['nobody is one', [], [entry(90, 200, 'ada')], [{ fromMs: 90, toMs: 100, theirs: [], ours: ['ada'] }]],
  [
    'a further person is one',
    [entry(0, 100, 'ada')],
    [entry(0, 100, 'ada'), entry(0, 10, 'ben')],
    [{ fromMs: 0, toMs: 10, theirs: ['ada'], ours: ['ada', 'ben'] }],
  ],
  ['what is outside of the range is none', [entry(-50, 0, 'ada'), entry(100, 120, 'ben')], [], []],
])('%s', (_name, theirs, ours, differences) => expect(differencesOf(theirs, ours, range)).toEqual(differences))
