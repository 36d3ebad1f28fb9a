import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { newId, encodeId, parseId } from '../../../platform/ids.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())

it('a story names updates of agents, starts and ends of instances, and people by their names', async () => {
  const { clock } = backend
  const { pg } = backend.pool
  const organization = await backend.organization()
  const owner = await backend.member(organization, 'owner')
  await backend.call('PATCH', '/v1/me', { as: owner, body: { name: 'Ada Lovelace' } })
  const { email } = (await backend.call('GET', '/v1/auth/me', { as: owner })).body
  const condition = { metric: 'status', operator: 'equals', value: 'offline' }
  const offline = await createAlertFixture(backend, organization, owner, { target: { type: 'server' }, condition })
  const [server, other] = [await backend.server(organization), await backend.server(organization)]
  const facts = (as: object, agent_version: string) => backend.call('PUT', '/v1/agent/facts', { as, body: { agent_version } })
  expect((await facts(server.as, '0.1.1')).status).toBe(204)
  // Nothing new, and another server.
  await facts(server.as, '0.1.1')
  await facts(other.as, '0.2.0')
  const at = (seconds: number) => new Date(clock.now() + seconds * 1_000)
  const instance = (startedAt: Date, aliveAt: Date, stoppedAt: Date | null, version: string) =>
    pg.query('insert into instance (id, started_at, alive_at, stopped_at, version) values ($1, $2, $3, $4, $5)', [
      newId(),
      startedAt,
      aliveAt,
      stoppedAt,
      version,
    ])
  await instance(at(-90_000), at(-600), at(-600), '0.1.0')
  await instance(at(-500), at(-200), null, '0.1.1')
  await instance(at(-400), at(600), null, '0.1.1')
  const target = { target_type: 'server', target_id: parseId('server', server.id) as string, target_name: 'web-1' } as const
  const id = await offline.open({ ...target, summary: 'web-1 is offline' })
  clock.advance(120_000)
  const path = `/v1/incidents/${encodeId('incident', id)}`
  await backend.call('POST', `${path}/acknowledge`, { as: owner, body: {} })
  const { events } = (await backend.call('GET', `${path}/story`, { as: owner })).body
  const texts = events.map(({ kind, text, targets, actor }: Record<string, unknown>) => [kind, text, targets, actor])
  const ofKinds = (kinds: string[]) => texts.filter(([kind]: [string]) => kinds.includes(kind))
  expect(ofKinds(['update'])).toEqual([['update', 'agent 0.1.0 → 0.1.1', ['web-1'], null]])
  expect(ofKinds(['backend'])).toEqual([
    ['backend', 'Vedette started: 0.1.0 → 0.1.1', [], null],
    ['backend', 'Vedette started', [], null],
    ['backend', 'an instance of Vedette ended without notice; others went on with its work', [], null],
  ])
  expect(ofKinds(['acknowledged'])[0][3]).toBe(`Ada Lovelace (${email})`)
})
