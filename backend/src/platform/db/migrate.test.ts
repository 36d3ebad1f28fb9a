import { expect, test } from 'vitest'
import { originOf } from './migrate.ts'

test.each([
  ['of an empty database', [], 'known'],
  ['of an older version', ['1', '2'], 'known'],
  ['of this version', ['1', '2', '3'], 'known'],
  ['of a newer version', ['1', '2', '3', '4'], 'newer'],
  ['of a build that named one otherwise', ['1', '2a', '3'], 'unknown'],
  ['of an older build that had more', ['0', '1', '2', '3'], 'unknown'],
  ['of an older build that had one in between', ['1', '2', '2b'], 'unknown'],
])('a schema %s is recognised', (_, migrations, origin) => {
  expect(originOf(migrations, ['1', '2', '3'])).toBe(origin)
})
