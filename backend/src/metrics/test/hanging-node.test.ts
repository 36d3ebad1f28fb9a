import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../test/harness.ts'
import { markDistributed } from '../../platform/db/distributed.ts'

/**
 * As on Citus: a plain server plays the coordinator and two nodes. It has as much of the catalog as is read, and a trigger in the place
 * of a node that does not answer, or is down.
 */
const CATALOG = `
create table pg_dist_placement as select generate_series(1, 1000) as shardid, 0 as groupid;
create function get_shard_id_for_distribution_column(regclass, int4) returns int8 language sql as 'select $2::int8';
create table node_state (groupid int4, state text);
create function reach_node() returns trigger language plpgsql as $$
begin
  if exists (select from node_state join pg_dist_placement using (groupid) where shardid = new.organization and state = 'hangs')
  then perform pg_sleep(600); end if;
  if exists (select from node_state join pg_dist_placement using (groupid) where shardid = new.organization and state = 'down')
  then raise exception 'connection to the remote node failed' using errcode = '08006'; end if;
  return new;
end $$;
create trigger reach_node before insert on metric_push for each row execute function reach_node();`

let backend: TestBackend
let organizations: TestOrganization[]
let servers: { as: Credentials }[]
const [BROKEN, SOUND] = [1, 2]

beforeAll(async () => {
  backend = await startTestBackend()
  markDistributed(backend.pool.db, true)
  organizations = await Promise.all(Array.from({ length: 6 }, (_, index) => backend.organization(`O${index}`)))
  await backend.pool.pg.query(CATALOG)
  for (const [index, { number }] of organizations.entries())
    await backend.pool.pg.query('update pg_dist_placement set groupid = $2 where shardid = $1', [number, nodeOf(index)])
  servers = await Promise.all(organizations.map((organization) => backend.server(organization)))
})
afterAll(() => backend.close())

/** Organizations of both nodes come by turns. */
const nodeOf = (index: number) => (index % 2 === 0 ? BROKEN : SOUND)
const ofNode = <T>(all: readonly T[], node: number | undefined) => all.filter((_, index) => nodeOf(index) === node)

let agoMs = 0
function push({ as }: { as: Credentials }): Promise<Answer> {
  const at = new Date(backend.clock.now() - (agoMs += 1)).toISOString()
  const body = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 12.5 } }] }
  return backend.call('POST', '/v1/agent/metrics', { as, body })
}
const pushAll = () => Promise.all(servers.map(push))
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

async function setState(state: 'hangs' | 'down' | 'works'): Promise<void> {
  await backend.pool.pg.query('delete from node_state')
  await backend.pool.pg.query('insert into node_state values ($1, $2)', [BROKEN, state])
}

/** Statements that wait for the node. */
async function waiting(): Promise<number> {
  const { rowCount } = await backend.pool.pg.query(
    "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
  )
  return rowCount ?? 0
}

describe.each(['hangs', 'down'] as const)('a node that is %s', (state) => {
  it('fails the pushes of its organizations alone, then refuses them at once, and serves them again when it works', async () => {
    expect(new Set(statuses(await pushAll()))).toEqual(new Set([202]))
    await setState(state)
    let isOver = false
    const broken = Promise.all(ofNode(servers, BROKEN).map(push)).finally(() => (isOver = true))
    await expect.poll(async () => isOver || (await waiting()) === 1).toBe(true)
    // While the node is waited for, and afterwards.
    expect(statuses(await Promise.all(ofNode(servers, SOUND).map(push)))).toEqual([202, 202, 202])
    expect(statuses(await broken)).toEqual([503, 503, 503])
    const later = await pushAll()
    expect(statuses(ofNode(later, SOUND))).toEqual([202, 202, 202])
    expect(ofNode(later, BROKEN).map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array.from({ length: 3 }, () => [503, '8']),
    )
    // They did not reach the database.
    expect(await waiting()).toBe(0)

    await setState('works')
    backend.clock.advance(8_000)
    expect(new Set(statuses(await pushAll()))).toEqual(new Set([202]))
  })
})

it('every push that was acknowledged is stored, and no other', async () => {
  const { rows } = await backend.pool.pg.query<{ organization: number; pushes: number }>(
    'select organization, count(*)::int as pushes from metric_push group by 1',
  )
  const pushesOf = new Map(rows.map(({ organization, pushes }) => [organization, pushes]))
  // Twice before and twice after; those of the sound node twice more in between.
  expect(organizations.map(({ number }) => pushesOf.get(number))).toEqual(
    organizations.map((_, index) => (nodeOf(index) === BROKEN ? 4 : 8)),
  )
})
