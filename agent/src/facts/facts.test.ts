import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../process/clock.ts'
import { collectFacts, machineId, osName } from './facts.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'vedette-facts-'))

test('the machine id is stable and does not reveal the id of the host [REG-10]', () => {
  const path = join(folder(), 'machine-id')
  writeFileSync(path, 'a'.repeat(32))
  const id = machineId(folder(), [path])
  expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(id).not.toContain('aaaa')
  expect(machineId(folder(), [path])).toBe(id)
})

test.each(['', 'uninitialized\n'])('a host whose id is %j gets one that is kept [REG-10]', (text) => {
  const path = join(folder(), 'machine-id')
  writeFileSync(path, text)
  const state = folder()
  const id = machineId(state, [path])
  expect(machineId(state, [path])).toBe(id)
  expect(machineId(folder(), [path])).not.toBe(id)
})

test.each([
  [{ distro: 'Debian GNU/Linux', release: '12', codename: 'bookworm' }, 'Debian GNU/Linux 12 (bookworm)'],
  [{ distro: 'macOS', release: '15.1', codename: '' }, 'macOS 15.1'],
  [{ distro: 'unknown', release: 'unknown', codename: '' }, ''],
])('%j becomes %j', (system, name) => expect(osName(system)).toBe(name))

test('the facts of this host are valid for a registration', async () => {
  const facts = await collectFacts(systemClock, folder(), { tags: ['web'] })
  expect(facts).toMatchObject({ agent_version: '0.1.0', tags: ['web'], arch: process.arch })
  for (const value of [facts.hostname, facts.os, facts.kernel, facts.cpu_model]) expect(value).toMatch(/\S/)
  expect(facts.cpu_cores).toBeGreaterThan(0)
  expect(Date.parse(facts.boot_time ?? '')).toBeLessThan(Date.now())
})
