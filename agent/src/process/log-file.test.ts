import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLogFile } from './log-file.ts'

test('lines go to the file, which is rotated when it is full; two files are kept', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'vedette-log-')), 'agent.log')
  const write = createLogFile(path, () => undefined, 20)
  for (let line = 0; line < 6; line++) write(`line ${line}\n`)
  expect(readFileSync(path, 'utf8')).toBe('line 4\nline 5\n')
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('line 2\nline 3\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  createLogFile(path, () => undefined, 20)('line 6\n')
  expect(readFileSync(path, 'utf8')).toBe('line 6\n')
})

test('lines that cannot be written go to the fallback', () => {
  const said: string[] = []
  createLogFile('/nowhere/agent.log', (text) => said.push(text))('words\n')
  expect(said).toEqual(['words\n', expect.stringContaining('ENOENT')])
})
