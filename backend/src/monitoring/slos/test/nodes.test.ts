import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { playNodes } from '../../../../test/playing-nodes.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createSloEvaluation } from '../evaluate.ts'

const MINUTE = 60_000

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

/** An organization with an SLO all of whose checks fail. */
async function seedBurning(name: string, region: number): Promise<number> {
  const organization = await backend.organization()
  const as = await backend.member(organization, 'owner')
  const monitor = await seedMonitor(backend, organization, 60)
  const checks = Array.from({ length: 60 }, (_, count) => ({
    region,
    atMs: backend.clock.now() - count * MINUTE,
    outcome: 2,
    responseUs: null,
  }))
  await seedChecks(backend, organization, monitor.number, checks)
  const body = { name, objective: 99, target: { id: monitor.id }, burn_alerts: ['1h'] }
  expect((await backend.call('POST', '/v1/slos', { as, body })).status).toBe(201)
  return organization.number
}

const openOf = async (organization: number): Promise<number> =>
  (
    await backend.pool.db
      .selectFrom('incident')
      .select('id')
      .where('organization', '=', organization)
      .where('target_type', '=', 'slo')
      .execute()
  ).length

it('a node that hangs holds the burn rates of its own organizations only, of which it gets no more until it answers', async () => {
  const region = await seedRegion(backend, 'ams')
  const hanging = await seedBurning('slo of the node that hangs', region)
  const other = await seedBurning('slo of another node', region)
  const nodes = await playNodes(backend, 'metric_push')
  await nodes.assign(hanging, 1)
  const evaluate = createSloEvaluation({ db: backend.pool.db, clock: backend.clock, log: silentLog })
  // Its incident cannot be opened while this transaction holds the row that the incident leads to.
  const client = await backend.pool.pg.connect()
  await client.query('begin')
  await client.query('select from organization where number = $1 for update', [hanging])
  const timer = setInterval(() => backend.clock.advance(1_000), 10)
  try {
    await evaluate()
    await expect.poll(() => openOf(other)).toBe(1)
    expect(await openOf(hanging)).toBe(0)
  } finally {
    clearInterval(timer)
    await client.query('rollback')
    client.release()
  }
  await expect.poll(() => openOf(hanging)).toBe(1)
})
