import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { startIdentityProvider } from '../../../../test/identity-provider.ts'
import { ON_LOOPBACK } from '../../../../test/provider-sign-in.ts'
import { startReceiver } from '../../../../test/receiver.ts'
import { encodeId } from '../../../platform/ids.ts'
import { KINDS, type Scene } from './kinds.ts'

const DAY_MS = 86_400_000

let scene: Scene
let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend({ environment: { ...LOCAL_TARGETS, ...ON_LOOPBACK } })
  const organization = await backend.organization()
  const { userId } = await backend.member(organization, 'owner')
  // A session would end meanwhile.
  const owner = { ...(await backend.apiKey(organization, 'admin')), userId, id: encodeId('user', userId) }
  const provider = await startIdentityProvider(() => backend.clock.now())
  scene = { backend, organization, owner, receiver: await startReceiver(), provider }
})
afterAll(async () => {
  await scene.provider.close()
  await scene.receiver.close()
  await backend.close()
})

const call = (method: string, path: string, body?: object, as = scene.owner) =>
  backend.call(method, path, { as, ...(body && { body }) })
const count = async (statement: string) => Number((await backend.pool.pg.query(statement)).rows[0].count)
/** Without what time and checks change. */
const definitionOf = ({ updated_at: _updated, status: _status, ...body }: Record<string, unknown>) => body

/** One of each kind, for the last test. */
const restored: { path: string; id: string }[] = []

describe.each(KINDS)('a deleted $noun', ({ path, noun, make }) => {
  it('does nothing, is in no list, and comes back as it was', async () => {
    const { id, acts, here, gone, others = [], history = 'select 1 as count' } = await make(scene)
    expect(await acts()).toEqual(here)
    const read = async (paths: readonly string[]) => Promise.all(paths.map(async (one) => (await call('GET', one)).body))
    const { body: before } = await call('GET', `${path}/${id}`)
    const [named, hanging] = [await read(others), await count(history)]
    expect(hanging).toBeGreaterThan(0)

    expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
    const deletedAt = backend.clock.now()
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Other' }], ['DELETE']] as const)
      expect([method, (await call(method, `${path}/${id}`, body)).status]).toEqual([method, 404])
    expect(JSON.stringify((await call('GET', `${path}?limit=100`)).body)).not.toContain(id)
    const { body: deleted } = await call('GET', `${path}/deleted`)
    const instant = (ms: number) => new Date(ms).toISOString()
    const item = { id, name: before.name, deleted_at: instant(deletedAt), removed_at: instant(deletedAt + 30 * DAY_MS) }
    expect(deleted).toEqual({ deleted: [item], total: 1, page: 1, limit: 20 })
    expect(await acts()).toEqual(gone)

    const foreigner = await backend.member(await backend.organization('Other'), 'owner')
    expect((await backend.call('POST', `${path}/${id}/restore`, { as: foreigner })).status).toBe(404)
    const { status, body: after } = await call('POST', `${path}/${id}/restore`)
    expect(status).toBe(200)
    expect(definitionOf(after)).toEqual(definitionOf(before))
    expect(definitionOf((await call('GET', `${path}/${id}`)).body)).toEqual(definitionOf(before))
    expect(await read(others)).toEqual(named)
    expect(await count(history)).toBe(hanging)
    expect((await call('GET', `${path}/deleted`)).body.total).toBe(0)
    expect(await acts()).toEqual(here)
    expect((await call('POST', `${path}/${id}/restore`)).status).toBe(200)
    const { audit_events: events } = (await call('GET', `/v1/audit-events?action=${noun}.restored`)).body
    expect(events).toMatchObject([{ target: { id }, details: { name: before.name } }])
    restored.push({ path, id })
  })
})

it('what was deleted 30 days ago is removed for good, of each kind', async () => {
  expect(restored.map(({ path }) => path)).toEqual(KINDS.map(({ path }) => path))
  for (const { path, id } of restored) expect([path, (await call('DELETE', `${path}/${id}`)).status]).toEqual([path, 204])
  const left = async () =>
    Promise.all(KINDS.map(({ noun }) => count(`select count(*) from ${noun} where deleted_at is not null`)))
  const remove = () => Promise.all([backend.jobs.deleteExpired(), backend.jobs.deleteExpired()])
  const listed = () => Promise.all(restored.map(async ({ path }) => (await call('GET', `${path}/deleted`)).body.total))
  backend.clock.advance(30 * DAY_MS - 1)
  await backend.jobs.keepPartitions()
  await remove()
  expect(Math.min(...(await left()), ...(await listed()))).toBeGreaterThan(0)
  backend.clock.advance(1)
  expect(await listed()).toEqual(KINDS.map(() => 0))
  for (const { path, id } of restored) expect((await call('POST', `${path}/${id}/restore`)).status).toBe(404)
  backend.clock.advance(1)
  await remove()
  expect(await left()).toEqual(KINDS.map(() => 0))
})
