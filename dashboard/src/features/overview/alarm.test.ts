import { expect, it } from 'vitest'
import { isNewIncident } from './alarm.ts'

const opened = (total: number, ...ids: string[]) => ({ total, ids: new Set(ids) })

it.each([
  ['nothing is before the first answer', undefined, opened(3, 'a'), false],
  ['the same ones are not new', opened(1, 'a'), opened(1, 'a'), false],
  ['one more is new', opened(1, 'a'), opened(2, 'b', 'a'), true],
  ['another one in place of a resolved one is new', opened(1, 'a'), opened(1, 'b'), true],
  ['a resolved one is not new', opened(2, 'a', 'b'), opened(1, 'a'), false],
  ['one more behind those that are listed is new', opened(25, 'a'), opened(26, 'a'), true],
] as const)('%s', (_, before, now, isNew) => expect(isNewIncident(before, now)).toBe(isNew))
