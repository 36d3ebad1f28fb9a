import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SIMULATED_FAULTS } from '../simulation/faults.ts'

it.each(SIMULATED_FAULTS)('the fault "$name" still has its place in the source', ({ file, find }) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  expect(text.split(find)).toHaveLength(2)
})
