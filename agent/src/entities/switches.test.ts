import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SourceSwitches } from './switches.ts'

const open = (folder = mkdtempSync(join(tmpdir(), 'vedette-switches-'))) => ({
  folder,
  logged: [] as string[],
  get switches() {
    return new SourceSwitches(folder, (_level, message) => void this.logged.push(message))
  },
})

test('what the backend switched off stays off over a restart, until an answer names it no more', () => {
  const { folder, switches } = open()
  switches.apply(['containers', 'ups'])
  expect(['containers', 'disks', 'ups'].map((name) => switches.isOff(name as 'ups'))).toEqual([true, false, true])
  expect(open(folder).switches.isOff('containers')).toBe(true)
  switches.apply(undefined)
  expect([switches.isOff('containers'), open(folder).switches.isOff('containers')]).toEqual([false, false])
})

test.each([[['processes', 5, null]], ['containers'], [{ containers: true }], [null]])(
  'an answer of %j switches nothing',
  (given) => {
    const { switches } = open()
    switches.apply(given)
    expect(switches.isOff('containers')).toBe(false)
  },
)

test.each(['', '{', '{}', '"containers"'])('a file of %j is none', (text) => {
  const { folder, switches } = open()
  writeFileSync(join(folder, 'sources-off.json'), text)
  expect(open(folder).switches.isOff('containers')).toBe(false)
  switches.apply(['gpus'])
  expect(readFileSync(join(folder, 'sources-off.json'), 'utf8')).toBe('["gpus"]')
})

test('a state folder that cannot be written costs a warning, not the switch', () => {
  const { folder } = open()
  writeFileSync(join(folder, 'file'), '')
  const opened = open(join(folder, 'file'))
  const { switches } = opened
  switches.apply(['units'])
  expect([switches.isOff('units'), opened.logged.length]).toEqual([true, 2])
})
