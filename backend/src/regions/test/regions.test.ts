import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { announceWorker } from '../../checks/index.ts'
import { addRegion, ensureRegion, rotateRegionToken } from '../index.ts'

let backend: TestBackend
let reader: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  reader = await backend.member(await backend.organization(), 'viewer')
})
afterAll(() => backend.close())

const deps = () => ({ db: backend.pool.db, clock: backend.clock })
const list = async () => (await backend.call('GET', '/v1/regions', { as: reader })).body.regions

it('regions are listed by id, online while somebody makes their checks [MON-51]', async () => {
  const number = await ensureRegion(backend.pool.db, { id: 'local', name: 'local' }, new Date(backend.clock.now()))
  await addRegion(deps(), 'eu-west', 'Europe')
  const offline = { id: 'eu-west', name: 'Europe', status: 'offline' }
  expect(await list()).toEqual([offline, { id: 'local', name: 'local', status: 'offline' }])
  const nowMs = backend.clock.now()
  await announceWorker(backend.pool.db, { region: number, id: randomUUID() }, nowMs, nowMs)
  expect(await list()).toEqual([offline, { id: 'local', name: 'local', status: 'online' }])
  backend.clock.advance(90_000)
  expect((await list())[1].status).toBe('online')
  backend.clock.advance(1)
  expect((await list())[1].status).toBe('offline')
})

it('a region that a probe asks for work is online', async () => {
  const as = await backend.probe('asked')
  await backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID() } })
  expect((await list()).find(({ id }: { id: string }) => id === 'asked').status).toBe('online')
})

it('a region is made once', async () => {
  await addRegion(deps(), 'twice', 'Once')
  await expect(addRegion(deps(), 'twice', 'Again')).rejects.toThrow('There is a region twice already')
})

it('a token that was replaced is refused at once', async () => {
  const old = { 'x-api-key': await addRegion(deps(), 'rotated', 'Rotated') }
  const ask = (as: Credentials) => backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID() } })
  expect((await ask(old)).status).toBe(200)
  const fresh = { 'x-api-key': await rotateRegionToken(deps(), 'rotated') }
  expect((await ask(old)).status).toBe(401)
  expect((await ask(fresh)).body.region).toBe('rotated')
  await expect(rotateRegionToken(deps(), 'nowhere')).rejects.toThrow('There is no region nowhere')
})

it('a viewer sees regions, a key of scope write does not', async () => {
  const as = await backend.apiKey(await backend.organization(), 'write')
  expect((await backend.call('GET', '/v1/regions', { as })).status).toBe(403)
})
