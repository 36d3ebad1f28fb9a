import { beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { COLLECTIONS_PER_HOUR, excesses } from '../agent/budgets/limits.ts'
import { traceAgent } from '../agent/budgets/run.ts'
import { mediansOf, type Work } from '../agent/budgets/trace.ts'

/** Two rounds in which each quiet process is read once. */
const MINUTES = 10

describe.skipIf(process.platform !== 'linux' || isMissing('strace', 'openssl'))('the built agent', () => {
  let works: Work[] = []
  beforeAll(async () => {
    works = await traceAgent(MINUTES)
  })

  test('stays within the budgets of its samples and pushes', () => expect(excesses(mediansOf(works))).toEqual([]))

  test('collects garbage rarely', () => {
    const pushes = works.filter(({ unit }) => unit === 'push').length
    const collections = works.reduce((sum, work) => sum + work.collections, 0)
    expect((collections * 60) / pushes).toBeLessThanOrEqual(COLLECTIONS_PER_HOUR)
  })
})
