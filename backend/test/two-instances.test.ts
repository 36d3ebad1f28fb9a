import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { storeUses } from '../src/access/api-keys/store.ts'
import { deleteStaleAnswers } from '../src/monitoring/checks/results/store.ts'
import { renewClaims } from '../src/monitoring/checks/schedule/claim-store.ts'
import { recordHeartbeat } from '../src/monitoring/checks/worker/worker-store.ts'
import { monitorsOf } from '../src/monitoring/checks/test/monitors.ts'
import type { Db } from '../src/platform/db/index.ts'
import { parseId } from '../src/platform/ids.ts'
import { type StateChange, upsertStates } from '../src/hosts/servers/state-store.ts'
import { startTestBackend, type TestBackend, type TestOrganization } from './harness.ts'

let backend: TestBackend
let organization: TestOrganization
let db: Db
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  ;({ db } = backend.pool)
})
afterAll(() => backend.close())

/** A transaction of another instance, which continues after `goOn` is called. */
async function another<T>(first: (other: Db) => Promise<unknown>, then: (other: Db) => Promise<T>) {
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>()
  const { promise: resumed, resolve: goOn } = Promise.withResolvers<void>()
  const ended = db.transaction().execute(async (other) => {
    await first(other)
    hasBegun()
    await resumed
    return then(other)
  })
  // Else what fails meanwhile would hold up the end of the file.
  onTestFinished(() => goOn())
  await Promise.race([begun, ended])
  return { goOn, ended }
}

const waitForWaiting = () =>
  expect
    .poll(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      return rows.length
    })
    .toBe(1)

describe('several instances on one database', () => {
  it('renew the claims of checks that are not being stored, and wait for no other', async () => {
    const make = monitorsOf(backend)
    const region = await make.region('renewed')
    const both = [
      await make.monitor(organization, { regions: ['renewed'] }),
      await make.monitor(organization, { regions: ['renewed'] }),
    ]
    for (const { number } of both) await sql`update check_schedule set fence = 7 where monitor = ${number}`.execute(db)
    const keys = both.map(({ number: monitor }) => ({ organization: organization.number, monitor, fence: 7 }))
    const lock = (other: Db, index: number) =>
      sql`select from check_schedule where monitor = ${keys[index]?.monitor} and region = ${region} for update`.execute(other)
    const { goOn, ended } = await another(
      (other) => lock(other, 1),
      (other) => lock(other, 0),
    )
    expect(await renewClaims(db, region, keys, 1)).toMatchObject([{ monitor: keys[0]?.monitor }])
    goOn()
    await ended
    expect(await renewClaims(db, region, keys, 1)).toHaveLength(2)
  })

  it('store when keys were used, but for one that is being changed', async () => {
    await backend.apiKey(organization, 'read')
    await backend.apiKey(organization, 'read')
    const stored = async () => {
      const rows = await db.selectFrom('api_key').select(['id', 'last_used_at']).orderBy('id').execute()
      return rows.map(({ id, last_used_at }) => ({ id, isUsed: last_used_at !== null }))
    }
    const [one, two] = await stored()
    const uses = [one, two].map((key) => ({ organization: organization.number, keyId: key?.id ?? '', usedAtMs: 1 }))
    const { goOn, ended } = await another(
      (other) => sql`select from api_key where id = ${two?.id} for update`.execute(other),
      async () => undefined,
    )
    await storeUses(db, uses, 60_000)
    expect(await stored()).toEqual([
      { id: one?.id, isUsed: true },
      { id: two?.id, isUsed: false },
    ])
    goOn()
    await ended
  })

  it('store the states of servers in one order', async () => {
    const ids: string[] = []
    for (let count = 0; count < 2; count += 1) ids.push((await backend.server(organization)).id)
    const [low, high] = ids.map((id) => parseId('server', id) as string).sort() as [string, string]
    const changeOf = (serverId: string) => ({
      organization: organization.number,
      serverId,
      stateAtMs: 1,
      parts: {},
    })
    const { goOn, ended } = await another(
      (other) => upsertStates(other, [changeOf(low)]),
      (other) => upsertStates(other, [changeOf(high)]),
    )
    const mine = upsertStates(db, [changeOf(high), changeOf(low)])
    await waitForWaiting()
    goOn()
    await Promise.all([ended, mine])
    expect(await db.selectFrom('server_state').select('server_id').execute()).toHaveLength(2)
  })

  it('store parts of the state of one server, and keep both', async () => {
    const serverId = parseId('server', (await backend.server(organization)).id) as string
    const store = (on: Db, stateAtMs: number, parts: StateChange['parts']) =>
      upsertStates(on, [{ organization: organization.number, serverId, stateAtMs, parts }])
    await store(db, 1, { host: '{"users": 1}', filesystems: '[1]' })
    const { goOn, ended } = await another(
      (other) => store(other, 2, { host: '{"users": 2}' }),
      async () => undefined,
    )
    const mine = store(db, 3, { filesystems: '[3]' })
    await waitForWaiting()
    goOn()
    await Promise.all([ended, mine])
    const state = db.selectFrom('server_state').select(['host', 'filesystems', 'interfaces']).where('server_id', '=', serverId)
    expect(await state.executeTakeFirst()).toEqual({ host: { users: 2 }, filesystems: [3], interfaces: [] })
  })

  it('forget workers of long ago, but for one that is just back', async () => {
    const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const
    const [nowMs, region] = [backend.clock.now(), 1]
    const say = (on: Db, id: string, atMs: number) => recordHeartbeat(on, { controlTargets: [], region, id }, atMs, atMs - 10_000)
    for (const id of ids) await say(db, id, nowMs - 2 * 86_400_000)
    const { goOn, ended } = await another(
      (other) => sql`update check_worker set alive_at = ${nowMs} where id = ${ids[1]}`.execute(other),
      (other) => say(other, ids[1], nowMs),
    )
    expect(await say(db, ids[0], nowMs)).toEqual({ index: 0, count: 1 })
    goOn()
    await ended
    expect(await say(db, ids[0], nowMs)).toEqual({ index: 0, count: 2 })
  })

  it('forget the answer of an older check, not the one that is stored in its place meanwhile', async () => {
    const make = monitorsOf(backend)
    const region = await make.region('answered')
    const { number: monitor } = await make.monitor(organization, { regions: ['answered'] })
    const stored = () => db.selectFrom('check_answer').select(['monitor', 'at']).execute()
    const check = (on: Db, at: number) =>
      sql`update check_schedule set last_checked_at = ${at} where monitor = ${monitor} and region = ${region}`.execute(on)
    await sql`
      insert into check_answer (organization, monitor, region, at, status_line, body)
      values (${organization.number}, ${monitor}, ${region}, 100, 'HTTP/1.1 500', '')`.execute(db)
    await check(db, 200)
    const { goOn, ended } = await another(
      async (other) => {
        await sql`update check_answer set at = 300 where monitor = ${monitor}`.execute(other)
        await check(other, 300)
      },
      async () => undefined,
    )
    const forgetting = deleteStaleAnswers(db)
    await waitForWaiting()
    goOn()
    await Promise.all([ended, forgetting])
    expect(await stored()).toEqual([{ monitor, at: 300 }])
    await check(db, 400)
    await deleteStaleAnswers(db)
    expect(await stored()).toEqual([])
  })
})
