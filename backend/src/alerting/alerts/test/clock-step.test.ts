import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { parseId } from '../../../platform/ids.ts'
import { requestReevaluation } from '../signals/store.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'

// A host sets its clock back by an hour, or another instance has written with a clock that is an hour ahead.

const HOUR_MS = 3_600_000

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeEach(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})
afterEach(() => backend.close())

const rule = (target: object, condition: object, own: object = {}) =>
  backend.call('POST', '/v1/alert-rules', { as: admin, body: { name: 'rule', target, condition, ...own } })
const isDown = { metric: 'status', operator: 'equals', value: 'down' }
const stepBack = async () => {
  backend.clock.advance(-HOUR_MS)
  // Signed in again: a session that begins in the future is another matter.
  admin = await backend.member(organization, 'admin')
}
const statusesOf = async (id: string) => (await incidentsOf(backend, id)).map(({ status }) => status)

describe('after a clock has stepped back by an hour', () => {
  it('a server is evaluated with its next push, by a rule that is younger than the step as well', async () => {
    const { uuid, sends } = await measure(backend, organization)
    const instance = startBeating(backend)
    await rule({ type: 'server' }, { metric: 'cpu.percent', operator: 'greater_than', value: 90 })
    await sends({ 'cpu.percent': [1] })
    await backend.jobs.evaluateServers()
    await stepBack()
    for (let passed = 0; passed < 70; passed += 10) {
      backend.clock.advance(10_000)
      await instance.beat()
      if (passed === 0) await sends({ 'cpu.percent': [99] })
      await backend.jobs.evaluateServers()
    }
    expect(await statusesOf(uuid)).toContain('open')
  })

  it('a monitor that is down opens an incident at once, by a rule that is younger than the step as well', async () => {
    const { uuid, id } = await watch(backend, admin)
    await goesDown(id)
    backend.clock.advance(5_000)
    await rule({ type: 'monitor' }, isDown)
    await stepBack()
    await requestReevaluation(backend.pool.db, organization.number, [await numberOf(id)], new Date(backend.clock.now()))
    await backend.jobs.evaluateSignals()
    expect(await statusesOf(uuid)).toContain('open')
  })

  it('a duration begins with the step', async () => {
    const { uuid, id } = await watch(backend, admin)
    await goesDown(id)
    await stepBack()
    await rule({ type: 'monitor', id }, isDown, { for_seconds: 60 })
    await backend.jobs.evaluateSignals()
    backend.clock.advance(59_000)
    await backend.jobs.evaluateSignals()
    const before = await statusesOf(uuid)
    backend.clock.advance(2_000)
    await backend.jobs.evaluateSignals()
    expect([before, (await statusesOf(uuid)).length]).toEqual([[], 1])
  })
})

const numberOf = async (id: string): Promise<number> => {
  const of = backend.pool.db
    .selectFrom('monitor')
    .select('number')
    .where('id', '=', parseId('monitor', id) as string)
  return (await of.executeTakeFirstOrThrow()).number
}

/** Its status as of now, without the signal that a check would store. */
async function goesDown(id: string): Promise<void> {
  const at = new Date(backend.clock.now())
  const change = { status: 'down', since: at } as const
  await backend.pool.db
    .updateTable('monitor_status')
    .set(change)
    .where('monitor', '=', await numberOf(id))
    .execute()
}
