import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { followLog, levelOf } from './postmaster-log.ts'
import { recordLog, waitUntil } from './test/harness.ts'

test.each([
  ['[12] LOG:  checkpoint complete', 'debug'],
  ['[12] WARNING:  out of order', 'warn'],
  ['[12] ERROR:  duplicate key', 'warn'],
  ['[12] FATAL:  password authentication failed', 'warn'],
  ['[12] PANIC:  could not write to file', 'error'],
  ['postgres: could not access directory', 'debug'],
  ['[12] LOG:  statement: SELECT "WARNING: "', 'debug'],
])('%s goes to %s', (line, level) => {
  expect(levelOf(line)).toBe(level)
})

test('a continued line has the level of its first, and what is said while quiet only shows in the tail', async () => {
  const stream = new PassThrough()
  const { log, lines } = recordLog()
  const said = followLog(stream, log)
  stream.write('[1] FATAL:  the database system is starting up\n')
  await waitUntil(async () => lines.length === 1)
  said.setQuiet(false)
  stream.write('[1] WARNING:  first\n\tsecond\n')
  await waitUntil(async () => lines.length === 3)
  expect(lines.map((line) => line.level)).toEqual(['debug', 'warn', 'warn'])
  expect(said.tail()).toBe('[1] FATAL:  the database system is starting up\n[1] WARNING:  first\n\tsecond')
})
