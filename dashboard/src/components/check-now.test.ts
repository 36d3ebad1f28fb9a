import { expect, it } from 'vitest'
import { regionsWithoutResult } from './check-now.ts'

const monitor = (...checks: [region: string, at: string][]) => ({
  regions: ['local', 'eu-1'],
  recent_checks: checks.map(([region, checked_at]) => ({ region, checked_at }) as never),
})

it.each([
  ['nothing new', [['local', '1']], [['local', '1']], ['local', 'eu-1']],
  [
    'one of two',
    [['local', '1']],
    [
      ['local', '2'],
      ['local', '1'],
    ],
    ['eu-1'],
  ],
  [
    'a first check',
    [],
    [
      ['eu-1', '2'],
      ['local', '2'],
    ],
    [],
  ],
  [
    'both',
    [
      ['eu-1', '1'],
      ['local', '1'],
    ],
    [
      ['local', '3'],
      ['eu-1', '2'],
      ['eu-1', '1'],
      ['local', '1'],
    ],
    [],
  ],
] as const)('after %s these regions have no result', (_name, before, after, regions) => {
  const [was, is] = [before, after].map((checks) => monitor(...(checks as unknown as [string, string][])))
  expect(regionsWithoutResult(was as never, is as never)).toEqual(regions)
})
