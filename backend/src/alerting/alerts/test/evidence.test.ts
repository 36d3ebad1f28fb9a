import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure } from '../../../../test/measured-server.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

interface StoredEvidence {
  checks: unknown[]
  host: { top_processes: { pid: number }[] }
}

it('an incident of a monitor stores the check of each region and the state of its server [INCIDENT-01]', async () => {
  const host = await measure(backend, organization)
  const processes = [
    ...Array.from({ length: 9 }, (_, pid) => ({
      pid: pid + 1,
      name: `p${pid + 1}`,
      cpu_percent: pid,
      memory_bytes: 1_000 - pid,
    })),
    { pid: 99, name: 'database', cpu_percent: 97.5, memory_bytes: 5_000_000 },
  ]
  await host.sends({ 'cpu.percent': [98.25], 'memory.percent': [71.5], 'disk.usage_percent': [88] }, { processes })
  await backend.vedette.flushAll()
  const { uuid, goes } = await watch(backend, admin, { server_id: host.id })
  await goes('down')
  await backend.jobs.evaluateSignals()
  const [evidence] = (await incidentsOf(backend, uuid)).map((one) => one.evidence as unknown as StoredEvidence)
  if (!evidence) throw new Error('nothing opened')
  const { checks, host: seen, ...rest } = evidence
  expect(rest).toEqual({ status: 'down', reason: expect.stringContaining('refused') })
  expect(checks).toEqual([
    expect.objectContaining({
      region: expect.stringMatching(/^region-/),
      state: 'down',
      outcome: 'down',
      failed_phase: 'connect',
      error: { code: 'connect', message: 'the target refused the connection' },
      dns_ms: 1,
      first_byte_ms: null,
      response_ms: null,
      address: null,
      certificate_expires_at: null,
    }),
  ])
  expect(seen).toMatchObject({
    server_id: host.id,
    name: 'web-1',
    'cpu.percent': 98.25,
    'memory.percent': 71.5,
    'disk.usage_percent': 88,
  })
  // The five that use most of the processors, and the five that use most memory.
  expect(seen.top_processes.map(({ pid }) => pid)).toEqual([99, 9, 8, 7, 6, 1, 2, 3, 4])
})

it('an incident of a monitor stores the response to the failed check [INCIDENT-08]', async () => {
  const { uuid, bring, goes } = await watch(backend, admin, { confirmations: 2 })
  const answerOf = (text: string) => ({ status_line: `HTTP/1.1 503 ${text}`, body: `<h1>${text}</h1>` })
  const kept = async () => Number((await backend.pool.pg.query('select count(*) as n from check_answer')).rows[0]?.n)
  await bring('down', { answer: answerOf('first') })
  await bring('down', { answer: answerOf('second') })
  expect(await kept()).toBe(1)
  await backend.jobs.evaluateSignals()
  const answers = async () =>
    (await incidentsOf(backend, uuid)).map(
      ({ evidence }) => (evidence as unknown as { checks: { answer: unknown }[] }).checks[0]?.answer,
    )
  const second = { status_line: 'HTTP/1.1 503 second', body: '<h1>second</h1>' }
  expect(await answers()).toEqual([second])
  await backend.jobs.deleteCheckAnswers()
  expect(await kept()).toBe(1)
  await goes('up')
  await backend.jobs.deleteCheckAnswers()
  expect(await kept()).toBe(0)
  // Another check without a response does not have the previous one.
  await goes('down')
  await backend.jobs.evaluateSignals()
  expect(await answers()).toEqual([second, null])
})

it('an incident of a server stores its own metrics and processes [INCIDENT-01]', async () => {
  const { uuid, sends } = await measure(backend, organization)
  const processes = [{ pid: 7, name: 'leak', cpu_percent: 1, memory_bytes: 10 ** 9 }]
  const body = {
    name: randomUUID(),
    target: { type: 'server' },
    condition: { metric: 'memory.percent', operator: 'greater_than', value: 90 },
  }
  await backend.call('POST', '/v1/alert-rules', { as: admin, body })
  await sends({ 'memory.percent': [99], 'cpu.percent': [3] }, { processes })
  await backend.vedette.flushAll()
  await backend.jobs.evaluateServers()
  const incidents = await incidentsOf(backend, uuid)
  expect(incidents.map(({ evidence }) => evidence)).toEqual([
    expect.objectContaining({
      metric: 'memory.percent',
      value: 99,
      host: expect.objectContaining({ 'memory.percent': 99, 'cpu.percent': 3, top_processes: processes }),
    }),
  ])
})
