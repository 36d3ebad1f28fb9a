import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Clock } from './clock.ts'
import { createFactsReport } from './facts-report.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function setUp(status = 204) {
  const stateDir = mkdtempSync(join(tmpdir(), 'facts-'))
  folders.push(stateDir)
  const time = { ms: 0 }
  const clock: Clock = { now: () => time.ms, monotonicMs: () => time.ms, after: () => () => undefined }
  const told: unknown[] = []
  const logged: string[] = []
  const create = () =>
    createFactsReport({
      clock,
      log: (_level, message) => void logged.push(message),
      stateDir,
      send: async (body) => {
        told.push(JSON.parse(String(body)))
        return { status, headers: {}, body: '' }
      },
    })
  return { create, told, logged, time }
}

test('tells the facts once, and again only when they changed, an hour later at the soonest', async () => {
  const { create, told, time } = setUp()
  const report = create()
  await report.tellIfDue(() => ({ kernel: '6.1' }))
  await report.tellIfDue(() => ({ kernel: '6.2' }))
  expect(told).toEqual([{ kernel: '6.1' }])
  time.ms += 3_600_000
  await report.tellIfDue(() => ({ kernel: '6.1' }))
  expect(told).toHaveLength(1)
  time.ms += 3_600_000
  await report.tellIfDue(() => ({ kernel: '6.2' }))
  expect(told).toEqual([{ kernel: '6.1' }, { kernel: '6.2' }])
})

test('a restart tells only what is new', async () => {
  const { create, told } = setUp()
  await create().tellIfDue(() => ({ agent_version: '1.0.0' }))
  await create().tellIfDue(() => ({ agent_version: '1.0.0' }))
  await create().tellIfDue(() => ({ agent_version: '1.1.0' }))
  expect(told).toEqual([{ agent_version: '1.0.0' }, { agent_version: '1.1.0' }])
})

test('what was refused or could not be read is said, thrown never, and told again later', async () => {
  const { create, told, logged, time } = setUp(503)
  const report = create()
  await report.tellIfDue(() => ({ kernel: '6.1' }))
  time.ms += 3_600_000
  await report.tellIfDue(() => {
    throw new Error('no such file')
  })
  time.ms += 3_600_000
  await report.tellIfDue(() => ({ kernel: '6.1' }))
  expect(told).toHaveLength(2)
  expect(logged).toHaveLength(3)
})

test('a mark that changed is a reason to look at once', async () => {
  const { create, told } = setUp()
  const report = create()
  await report.tellIfDue(() => ({ kernel: '6.1' }))
  await report.tellIfDue(() => ({ kernel: '6.1', dropped_samples: 7 }), 7)
  await report.tellIfDue(() => ({ kernel: '6.1', dropped_samples: 8 }), 7)
  expect(told).toEqual([{ kernel: '6.1' }, { kernel: '6.1', dropped_samples: 7 }])
})
