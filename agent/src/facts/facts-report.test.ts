import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Clock } from '../process/clock.ts'
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
  const sent: unknown[] = []
  const logged: string[] = []
  const create = () =>
    createFactsReport({
      clock,
      log: (_level, message) => void logged.push(message),
      stateDir,
      send: async (body) => {
        sent.push(JSON.parse(String(body)))
        return { status, headers: {}, body: '' }
      },
    })
  return { create, sent, logged, time }
}

test('facts are sent once, and again only after a change, at most once an hour', async () => {
  const { create, sent, time } = setUp()
  const report = create()
  await report.reportIfDue(() => ({ kernel: '6.1' }))
  await report.reportIfDue(() => ({ kernel: '6.2' }))
  expect(sent).toEqual([{ kernel: '6.1' }])
  time.ms += 3_600_000
  await report.reportIfDue(() => ({ kernel: '6.1' }))
  expect(sent).toHaveLength(1)
  time.ms += 3_600_000
  await report.reportIfDue(() => ({ kernel: '6.2' }))
  expect(sent).toEqual([{ kernel: '6.1' }, { kernel: '6.2' }])
})

test('a restart sends only changed facts', async () => {
  const { create, sent } = setUp()
  await create().reportIfDue(() => ({ agent_version: '1.0.0' }))
  await create().reportIfDue(() => ({ agent_version: '1.0.0' }))
  await create().reportIfDue(() => ({ agent_version: '1.1.0' }))
  expect(sent).toEqual([{ agent_version: '1.0.0' }, { agent_version: '1.1.0' }])
})

test('refused and unreadable facts are logged, never thrown, and sent again later', async () => {
  const { create, sent, logged, time } = setUp(503)
  const report = create()
  await report.reportIfDue(() => ({ kernel: '6.1' }))
  time.ms += 3_600_000
  await report.reportIfDue(() => {
    throw new Error('no such file')
  })
  time.ms += 3_600_000
  await report.reportIfDue(() => ({ kernel: '6.1' }))
  expect(sent).toHaveLength(2)
  expect(logged).toHaveLength(3)
})

test('a changed loss count sends the facts at once', async () => {
  const { create, sent } = setUp()
  const report = create()
  await report.reportIfDue(() => ({ kernel: '6.1' }))
  await report.reportIfDue(() => ({ kernel: '6.1', dropped_samples: 7 }), 7)
  await report.reportIfDue(() => ({ kernel: '6.1', dropped_samples: 8 }), 7)
  expect(sent).toEqual([{ kernel: '6.1' }, { kernel: '6.1', dropped_samples: 7 }])
})

test('a restart knows whether certificates were sent, which an agent that reads none takes back', async () => {
  const { create, sent } = setUp()
  const report = create()
  expect(report.sentCertificates()).toBe(false)
  await report.reportIfDue(() => ({ kernel: '"certificates":' }))
  expect(create().sentCertificates()).toBe(false)
  await create().reportIfDue(() => ({ kernel: '6.1', certificates: [] }))
  expect(create().sentCertificates()).toBe(true)
  expect(sent).toHaveLength(2)
})
