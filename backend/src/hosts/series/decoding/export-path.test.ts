import { expect, it } from 'vitest'
import { continuePath, exportPathOf, MAX_EXPORT_PATH } from './export-path.ts'

const organization = (number: number) => `org_${String(number).padStart(26, '0')}`
const path = (length: number) => Array.from({ length }, (_, index) => organization(index)).join(',')

it.each([
  ['one organization', organization(1), organization(1)],
  ['as many as there may be', path(MAX_EXPORT_PATH), path(MAX_EXPORT_PATH)],
  ['one too many', path(MAX_EXPORT_PATH + 1), ''],
  ['another text', 'org_1', ''],
  ['an empty one', `${organization(1)},`, ''],
  ['two headers', [organization(1), organization(2)], ''],
  ['no header', undefined, ''],
])('a path of %s', (_, header, expected) => {
  expect(exportPathOf(header)).toBe(expected)
})

it('goes on to other organizations, to none twice, and not for ever', () => {
  expect(continuePath('', organization(1))).toBe(organization(1))
  expect(continuePath(organization(1), organization(2))).toBe(`${organization(1)},${organization(2)}`)
  expect(continuePath(path(3), organization(0))).toBe(undefined)
  expect(continuePath(path(3), organization(2))).toBe(undefined)
  expect(continuePath(path(MAX_EXPORT_PATH), organization(99))).toBe(undefined)
})
