import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plant } from '../plant.ts'
import { PLANTED_FAULTS } from '../planted-faults.ts'
import { parseRequirements } from '../requirements.ts'
import { scanTests } from '../sources.ts'

const root = join(import.meta.dirname, '../../..')
const known = new Set(parseRequirements(readFileSync(join(root, 'docs/requirements.md'), 'utf8')).map(({ id }) => id))
const tests = scanTests(root)

describe('the planted faults', () => {
  test('are twenty or more, each of its own', () => {
    expect(PLANTED_FAULTS.length).toBeGreaterThanOrEqual(20)
    expect(new Set(PLANTED_FAULTS.map(({ name }) => name)).size).toBe(PLANTED_FAULTS.length)
  })

  test.each(PLANTED_FAULTS)('$name: applies, and its tests name $turnsRed', (fault) => {
    const text = readFileSync(join(root, fault.file), 'utf8')
    expect(plant(fault, text)).not.toBe(text)
    expect(fault.file).not.toMatch(/\.test\.ts$|\/test\//)
    expect(known).toContain(fault.turnsRed)
    for (const file of fault.tests)
      expect(
        tests.some((one) => one.file === file && one.ids.includes(fault.turnsRed)),
        file,
      ).toBe(true)
  })
})

test.each([
  ['a', 'is not there'],
  ['b b', 'is there twice'],
])('a fault whose text in %j %s no longer applies', (text) => {
  const fault = { name: 'n', file: 'f.ts', find: 'b', replace: 'c', turnsRed: 'AA-01', tests: [] }
  expect(() => plant(fault, text)).toThrow('"n" no longer applies: its text does not occur exactly once in f.ts')
  expect(plant(fault, 'abd')).toBe('acd')
})
