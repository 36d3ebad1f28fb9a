import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId } from '../../../platform/ids.ts'
import { incidentsOf, watch, type WatchedMonitor } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let receiver: Receiver
beforeAll(async () => {
  backend = await startTestBackend({ environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  receiver = await startReceiver()
  await call('POST', '/channels', { name: 'hook', type: 'webhook', config: { url: receiver.url } })
  return () => receiver.close()
})

const call = async (method: string, path: string, body?: unknown) =>
  (await backend.call(method, `/v1${path}`, { as: admin, body })).body
const make = (name: string, own: object = {}) => watch(backend, admin, { name, ...own })
const on = (...parents: WatchedMonitor[]) => parents.map(({ id }) => ({ type: 'monitor', id }))
async function goes(outcome: 'up' | 'down', ...monitors: WatchedMonitor[]): Promise<void> {
  for (const monitor of monitors) await monitor.goes(outcome)
  await backend.jobs.evaluateSignals()
}
async function review(): Promise<void> {
  await backend.jobs.reviewSuppressions()
  await backend.jobs.startDeliveries()
  await backend.jobs.idle()
}
const seconds = (count: number) => backend.clock.advance(count * 1_000)
/** What the channel received since the last call: `opened Shop`. */
const notified = () =>
  receiver.received.splice(0).map(({ body }) => {
    const { type, data } = JSON.parse(body)
    return `${type.slice(9)} ${data.incident.target.name}`
  })
const newest = async ({ uuid }: WatchedMonitor) => (await incidentsOf(backend, uuid)).at(-1)
const stateOf = async (monitor: WatchedMonitor) => {
  const incident = await newest(monitor)
  return [incident?.status, incident?.silenced, incident?.parent_id]
}

describe('an incident of something that depends on others', () => {
  it('opens silently while a parent is down, stands in its incident, and ends silently', async () => {
    const router = await make('Router')
    const shop = await make('Shop', { depends_on: on(router) })
    await goes('down', router, shop)
    await review()
    expect(notified()).toEqual(['opened Router'])
    const parent = await newest(router)
    expect(await stateOf(shop)).toEqual(['open', true, parent?.id])
    expect((await newest(shop))?.timeline.at(-1)?.message).toBe('notifications suppressed: monitor Router is down')
    const { children, child_count: count } = await call('GET', `/incidents/${encodeId('incident', parent?.id as string)}`)
    expect([count, children.map((child: { target: { name: string } }) => child.target.name)]).toEqual([1, ['Shop']])
    expect(children[0].parent_id).toBe(encodeId('incident', parent?.id as string))
    await goes('up', shop, router)
    await review()
    expect(notified()).toEqual(['resolved Router'])
    expect(await stateOf(shop)).toEqual(['resolved', true, parent?.id])
  })

  it('waits one interval of its parent, so that a parent that is checked later silences it', async () => {
    const router = await make('Router', { interval: 300 })
    const shop = await make('Shop', { depends_on: on(router), interval: 30 })
    await router.bring('up')
    await goes('down', shop)
    await review()
    expect([notified(), await stateOf(shop)]).toEqual([[], ['open', true, null]])
    expect((await newest(shop))?.timeline.at(-1)?.message).toBe('notified after the next check of what it depends on')
    await goes('down', router)
    await review()
    expect([notified(), await stateOf(shop)]).toEqual([['opened Router'], ['open', true, (await newest(router))?.id]])
  })

  it('waits 15 minutes at most for a parent that is checked once a day, or sends a ping once a year', async () => {
    const domain = await make('Domain', { interval: 86_400 })
    await domain.bring('up')
    const schedule = { period_seconds: 31_536_000, grace_seconds: 3_600 }
    const archive = await call('POST', '/monitors', {
      name: 'Archive',
      type: 'heartbeat',
      url: 'heartbeat://',
      options: { schedule },
    })
    const shop = await make('Shop', { depends_on: [...on(domain), { type: 'monitor', id: archive.id }], interval: 30 })
    await goes('down', shop)
    const openedMs = backend.clock.now()
    backend.clock.advance(openedMs + 899_000 - backend.clock.now())
    await review()
    expect(notified()).toEqual([])
    seconds(1)
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })

  it('is notified when the interval has passed and the parent is up', async () => {
    const router = await make('Router', { interval: 120 })
    await router.bring('up')
    const shop = await make('Shop', { depends_on: on(router), interval: 30 })
    await goes('down', shop)
    const openedMs = backend.clock.now()
    await router.bring('up')
    backend.clock.advance(openedMs + 119_000 - backend.clock.now())
    await review()
    expect(notified()).toEqual([])
    seconds(1)
    await review()
    await review()
    expect([notified(), await stateOf(shop)]).toEqual([['opened Shop'], ['open', false, null]])
  })

  it('waits longer while a failed check of the parent is not confirmed, but not for ever', async () => {
    const router = await make('Router', { interval: 60, confirmations: 3, timeout: 10 })
    const shop = await make('Shop', { depends_on: on(router), interval: 30 })
    await router.bring('up')
    await goes('down', shop)
    const openedMs = backend.clock.now()
    await router.bring('down')
    backend.clock.advance(Math.max(0, openedMs + 61_000 - backend.clock.now()))
    await review()
    expect(notified()).toEqual([])
    backend.clock.advance(openedMs + (60 + 3 * 15) * 1_000 - backend.clock.now())
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })

  it('does not wait for a parent that is paused or deleted', async () => {
    const [paused, deleted] = [await make('Paused', { interval: 3_600 }), await make('Deleted', { interval: 3_600 })]
    const shop = await make('Shop', { depends_on: on(paused, deleted) })
    await call('POST', `/monitors/${paused.id}/pause`)
    await call('DELETE', `/monitors/${deleted.id}`)
    await goes('down', shop)
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })

  it('is notified when the parent is up again and its next check fails too', async () => {
    const router = await make('Router')
    const [shop, blog] = [await make('Shop', { depends_on: on(router) }), await make('Blog', { depends_on: on(router) })]
    await goes('down', router, shop, blog)
    await review()
    await goes('up', router)
    await review()
    expect(notified()).toEqual(['opened Router', 'resolved Router'])
    seconds(1)
    await shop.bring('down')
    await blog.bring('up')
    await review()
    expect([notified(), await stateOf(blog)]).toEqual([['opened Shop'], ['open', true, (await newest(router))?.id]])
    await blog.bring('up')
    await backend.jobs.evaluateSignals()
    await review()
    expect([notified(), (await stateOf(blog))[0]]).toEqual([[], 'resolved'])
  })

  it('is notified two intervals after the parent is up where no check follows', async () => {
    const router = await make('Router')
    const shop = await make('Shop', { depends_on: on(router), interval: 60, timeout: 10 })
    await goes('down', router, shop)
    await review()
    await goes('up', router)
    await review()
    notified()
    seconds(199)
    await review()
    expect(notified()).toEqual([])
    seconds(1)
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })

  it('is silenced by a tag, and by a parent that nobody is notified of', async () => {
    const router = await make('Router', { tags: ['core'] })
    for (const { id } of (await call('GET', '/alert-rules')).alert_rules)
      await call('PATCH', `/alert-rules/${id}`, { target: { type: 'monitor', tag: 'leaf' } }).catch(() => undefined)
    const shop = await make('Shop', { tags: ['leaf'], depends_on: [{ type: 'monitor', tag: 'core' }] })
    await goes('down', router, shop)
    seconds(600)
    await review()
    expect([notified(), await stateOf(shop)]).toEqual([[], ['open', true, null]])
  })

  it('is silenced by an offline server', async () => {
    const { id } = await backend.server(organization)
    const shop = await make('Shop', { depends_on: [{ type: 'server', id }] })
    const { db } = backend.pool
    await sql`insert into offline_server select organization, id from server where organization = ${organization.number}`.execute(
      db,
    )
    await goes('down', shop)
    seconds(600)
    await review()
    expect([notified(), (await stateOf(shop))[1]]).toEqual([[], true])
    await sql`delete from offline_server where organization = ${organization.number}`.execute(db)
    await review()
    await shop.bring('down')
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })

  it('waits for the offline threshold of a server', async () => {
    const { id } = await backend.server(organization)
    const shop = await make('Shop', { depends_on: [{ type: 'server', id }] })
    await goes('down', shop)
    seconds(180)
    await review()
    expect(notified()).toEqual([])
    seconds(5)
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })

  it('is not silenced by a parent of another organization', async () => {
    const elsewhere = await backend.organization()
    const router = await watch(backend, await backend.apiKey(elsewhere, 'admin'), { tags: ['core'] })
    const shop = await make('Shop', { depends_on: [{ type: 'monitor', tag: 'core' }] })
    await goes('down', router, shop)
    await review()
    expect(notified()).toEqual(['opened Shop'])
  })
})

it('where a cycle stands in the table, one of two things that are down is notified', async () => {
  const one = await make('One')
  const other = await make('Other', { depends_on: on(one) })
  const { db } = backend.pool
  await sql`
    update monitor set depends_on = ${JSON.stringify([{ type: 'monitor', id: other.uuid }])}::jsonb
    where organization = ${organization.number} and id = ${one.uuid}`.execute(db)
  await goes('down', one, other)
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await review()
    seconds(60)
  }
  expect(notified()).toHaveLength(1)
})
