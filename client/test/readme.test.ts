import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROUTES } from '../src/routes.ts'

test('the README has every noun and verb', () => {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` +\| (`[^|]+`) +\|$/gm)]
  const verbsOf = (cell = '') => new Set([...cell.matchAll(/`(\w+)`/g)].map(([, verb]) => verb))
  expect(Object.fromEntries(rows.map(([, noun, cell]) => [noun, verbsOf(cell)]))).toEqual(
    Object.fromEntries(Object.entries(ROUTES).map(([noun, verbs]) => [noun, new Set(Object.keys(verbs))])),
  )
})
