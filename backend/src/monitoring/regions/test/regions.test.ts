import { randomUUID } from 'node:crypto'
import type { ControlTarget } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { recordHeartbeat } from '../../checks/index.ts'
import { addRegion, ensureRegion, rotateRegionToken } from '../index.ts'

let backend: TestBackend
let reader: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  reader = await backend.member(await backend.organization(), 'viewer')
})
afterAll(() => backend.close())

const GATEWAY = { type: 'gateway', address: '192.0.2.1' } as const
const RESOLVER = { type: 'resolver', address: '192.0.2.53' } as const

const deps = () => ({ db: backend.pool.db, clock: backend.clock })
const list = async () => (await backend.call('GET', '/v1/regions', { as: reader })).body.regions

it('regions are listed by id, online while a worker is seen [MON-51]', async () => {
  const number = await ensureRegion(backend.pool.db, { id: 'local', name: 'local' }, new Date(backend.clock.now()))
  await addRegion(deps(), 'eu-west', 'Europe')
  const offline = { id: 'eu-west', name: 'Europe', status: 'offline', control_targets: [] }
  expect(await list()).toEqual([offline, { id: 'local', name: 'local', status: 'offline', control_targets: [] }])
  const nowMs = backend.clock.now()
  const beat = (controlTargets: ControlTarget[]) =>
    recordHeartbeat(backend.pool.db, { region: number, id: randomUUID(), controlTargets }, nowMs, nowMs)
  await beat([GATEWAY, RESOLVER])
  await beat([GATEWAY])
  const [, local] = await list()
  expect(local).toMatchObject({ id: 'local', name: 'local', status: 'online' })
  expect(
    local.control_targets.toSorted((one: ControlTarget, other: ControlTarget) => one.type.localeCompare(other.type)),
  ).toEqual([GATEWAY, RESOLVER])
  backend.clock.advance(90_000)
  expect((await list())[1].status).toBe('online')
  backend.clock.advance(1)
  expect((await list())[1]).toMatchObject({ status: 'offline', control_targets: [] })
})

it('a region whose probe claims checks is online', async () => {
  const as = await backend.probe('calls')
  await backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID(), control_targets: [RESOLVER] } })
  const region = (await list()).find(({ id }: { id: string }) => id === 'calls')
  expect(region).toMatchObject({ status: 'online', control_targets: [RESOLVER] })
})

it('a region is created once', async () => {
  await addRegion(deps(), 'twice', 'Once')
  await expect(addRegion(deps(), 'twice', 'Again')).rejects.toThrow('Region twice already exists')
})

it('a replaced token is refused at once', async () => {
  const old = { 'x-api-key': await addRegion(deps(), 'rotated', 'Rotated') }
  const send = (as: Credentials) => backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID() } })
  expect((await send(old)).status).toBe(200)
  const fresh = { 'x-api-key': await rotateRegionToken(deps(), 'rotated') }
  expect((await send(old)).status).toBe(401)
  expect((await send(fresh)).body.region).toBe('rotated')
  await expect(rotateRegionToken(deps(), 'nowhere')).rejects.toThrow('Region nowhere does not exist')
})

it('a viewer sees regions, a key of scope write does not', async () => {
  const as = await backend.apiKey(await backend.organization(), 'write')
  expect((await backend.call('GET', '/v1/regions', { as })).status).toBe(403)
})
