import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from './config-settings.ts'

const root = join(import.meta.dirname, '../../..')

test('the table of settings in docs/agent.md is the one that the settings declare', () => {
  const docs = readFileSync(join(root, 'docs/agent.md'), 'utf8')
  const rows = docs
    .slice(docs.indexOf('| key '), docs.indexOf('| environment '))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const declared = Object.entries(SETTINGS).map(
    ([key, setting]) => `| \`${key}\` | ${setting.description} | ${setting.bounds} | ${setting.default} |`,
  )
  expect(rows.map((row) => row.replaceAll(/ +/g, ' '))).toEqual(declared)
})

test('every setting is in the example config of the packages', () => {
  const example = readFileSync(join(root, 'installers/files/agent.yaml'), 'utf8')
  const inPackage = Object.keys(SETTINGS).filter((key) => key !== 'state_dir')
  expect(inPackage.filter((key) => !new RegExp(`^# ${key}: `, 'm').test(example))).toEqual([])
})
