import { hash } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { isDistributed } from '../../../platform/db/index.ts'
import { encodeBlock } from '@vedette/shared/metrics/block'
import type { PushRow } from '../ingest/push-row.ts'
import { insertPushes } from '../ingest/store.ts'

const NO_LOAD = { cpu: -1, memory: -1, disk: -1 }

describe('the statement that stores pushes', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let live: PushRow
  let dead: PushRow
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    live = await rowOf(await backend.server(organization))
    dead = { ...(await rowOf(await backend.server(organization))), credential: Buffer.alloc(32) }
  })
  afterAll(() => backend.close())

  /** A push of this server. */
  async function rowOf({ as }: { as: { 'x-api-key'?: string } }): Promise<PushRow> {
    const credential = hash('sha256', as['x-api-key'] ?? '', 'buffer')
    const found = await backend.pool.db
      .selectFrom('server')
      .select('id')
      .where('organization', '=', organization.number)
      .where('token_hash', '=', credential)
      .executeTakeFirstOrThrow()
    return { organization: organization.number, serverId: found.id, credential, bootId: '', piece: pieceAt(0) }
  }

  function pieceAt(t0Ms: number): PushRow['piece'] {
    const block = encodeBlock({ atMs: Float64Array.of(t0Ms), fieldIds: [1], values: Float64Array.of(5) })
    return { t0Ms, tLastMs: t0Ms, count: 1, digest: hash('sha256', `${t0Ms}`, 'latin1').slice(0, 8), block, load: NO_LOAD }
  }

  const at = (row: PushRow, ms: number): PushRow => ({ ...row, piece: pieceAt(ms) })
  const insertInto = (mayRepeat: boolean, rows: PushRow[]) => insertPushes(backend.pool, rows, backend.clock.now(), mayRepeat)
  const insert = (...rows: PushRow[]) => insertInto(true, rows)
  const isStored = async (row: PushRow) => {
    const { rows } = await backend.pool.pg.query('select 1 from metric_push where t0 = $1', [row.piece.t0Ms])
    return rows.length
  }

  it.each([
    ['of now', 0, true],
    ['of now, none of which is expected to be stored,', 1_000, false],
    ['that are late', 3 * 86_400_000, true],
  ])('classifies each of the rows %s by itself, and stores the new ones [PUSH-16, PUSH-22]', async (_, agoMs, mayRepeat) => {
    const insert = (...rows: PushRow[]) => insertInto(mayRepeat, rows)
    const first = backend.clock.now() - agoMs
    const known = at(live, first)
    expect(await insert(known)).toEqual(['stored'])
    const others = [
      at(live, first + 1),
      at(dead, first + 2),
      { ...at(live, first + 3), bootId: 'another' },
      known,
      at(live, first + 4),
    ]
    expect(await insert(...others)).toEqual(['stored', 'refused', 'new_boot', 'duplicate', 'stored'])
    expect(await Promise.all(others.map(isStored))).toEqual([1, 0, 0, 1, 1])
    expect(await insert(...others)).toEqual(['duplicate', 'refused', 'new_boot', 'duplicate', 'duplicate'])
    const none = [at(live, first + 5), at(dead, first + 6), { ...at(live, first + 7), bootId: 'another' }]
    expect(await insert(...none)).toEqual(['stored', 'refused', 'new_boot'])
    expect(await Promise.all(none.map(isStored))).toEqual([1, 0, 0])
  })

  it('classifies a row that comes alone as it does among others [PUSH-16, PUSH-22]', async () => {
    const now = backend.clock.now() + 2_000
    const rows = [at(live, now), at(dead, now + 1), { ...at(live, now + 2), bootId: 'another' }, at(live, now)]
    const results: unknown[] = []
    for (const row of rows) results.push(...(await insertInto(false, [row])))
    expect(results).toEqual(['stored', 'refused', 'new_boot', 'duplicate'])
    expect(await Promise.all(rows.map(isStored))).toEqual([1, 0, 0, 1])
  })

  it.each([
    ['of now', 0, false],
    ['of now, looked up before,', 0, true],
    ['that are late', 3 * 86_400_000, true],
  ])('notes when the newest of the rows %s came, and the values of the newest sample', async (_, agoMs, mayRepeat) => {
    const row = await rowOf(await backend.server(organization))
    const first = backend.clock.now() - agoMs
    const pushed = (ms: number, load: PushRow['piece']['load'], credential = row.credential) => {
      const { piece } = at(row, first + ms)
      return {
        ...row,
        credential,
        piece: { ...piece, load, digest: hash('sha256', `${row.serverId} ${ms}`, 'latin1').slice(0, 8) },
      }
    }
    const known = async () => {
      const all = backend.pool.db.selectFrom('server_newest').select(['last_push_ms', 'sampled_at_ms', 'cpu', 'memory', 'disk'])
      return all.where('id', '=', row.serverId).executeTakeFirstOrThrow()
    }
    const newest = { cpu: 7, memory: 0, disk: null }
    expect(await known()).toEqual({ last_push_ms: null, sampled_at_ms: 0, cpu: null, memory: null, disk: null })
    // The newest one is not the last; what a dead token brings does not count.
    const rows = [
      pushed(1, { cpu: 1, memory: 1, disk: 1 }),
      pushed(3, { cpu: 7, memory: 0, disk: -1 }),
      pushed(2, { cpu: 2, memory: 2, disk: 2 }),
      pushed(4, { cpu: 9, memory: 9, disk: 9 }, Buffer.alloc(32)),
    ]
    expect(await insertInto(mayRepeat, rows)).toEqual(['stored', 'stored', 'stored', 'refused'])
    expect(await known()).toEqual({ last_push_ms: backend.clock.now(), sampled_at_ms: first + 3, ...newest })
    // Older samples, and ones that are stored already, are an accepted push.
    for (const again of [pushed(0, { cpu: 5, memory: 5, disk: 5 }), rows[1] as PushRow]) {
      backend.clock.advance(1)
      await insertInto(mayRepeat, [again])
      expect(await known()).toEqual({ last_push_ms: backend.clock.now(), sampled_at_ms: first + 3, ...newest })
    }
  })

  it.each([true, false])(
    'stores a row that two instances receive at the same time once, and loses no other row: mayRepeat %s [PUSH-22]',
    async (mayRepeat) => {
      const now = backend.clock.now() + (mayRepeat ? 0 : 100)
      const [shared, unique] = [at(live, now + 10), at(live, now + 11)]
      const other = await backend.pool.pg.connect()
      await other.query('begin')
      const { organization: number, serverId, piece } = shared
      await other.query(
        `insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
       select $1, $2, $1, $1, organization, number, $3, 1, $4 from server where organization = $5 and id = $6`,
        [
          piece.t0Ms,
          Buffer.from(piece.digest, 'latin1').readBigInt64BE(),
          new Date(now).toISOString().slice(0, 10),
          piece.block,
          number,
          serverId,
        ],
      )
      const results = insertInto(mayRepeat, [shared, unique])
      await untilSomebodyWaits()
      await other.query('commit')
      other.release()
      expect(await results).toEqual(['duplicate', 'stored'])
      expect([await isStored(shared), await isStored(unique)]).toEqual([1, 1])
    },
  )

  it('reports stored rows as stored even if the token is replaced before it returns [PUSH-16]', async () => {
    const now = backend.clock.now() + 200
    const { pool } = backend
    const replaced = Buffer.alloc(32, 7)
    const replace = (from: Buffer, to: Buffer) =>
      pool.pg.query('update server set token_hash = $2 where token_hash = $1', [from, to])
    let queries = 0
    const query = async (config: pg.QueryArrayConfig) => {
      const result = await pool.pushes.query(config)
      if (++queries === 1) await replace(live.credential, replaced)
      return result
    }
    const between = { ...pool, pushes: Object.assign(Object.create(pool.pushes) as typeof pool.pushes, { query }) }
    const rows = [at(live, now + 20), at(dead, now + 21)]
    expect(await insertPushes(between, rows, backend.clock.now(), false)).toEqual(['stored', 'refused'])
    expect(await Promise.all(rows.map(isStored))).toEqual([1, 0])
    await replace(replaced, live.credential)
  })

  it('finds what came yesterday also when it is of today', async () => {
    const midnight = Math.ceil(backend.clock.now() / 86_400_000) * 86_400_000
    backend.clock.advance(midnight - 60_000 - backend.clock.now())
    const ahead = at(live, midnight + 200_000)
    expect(await insert(ahead)).toEqual(['stored'])
    backend.clock.advance(3_600_000)
    expect(await insert(ahead)).toEqual(['duplicate'])
  })

  async function untilSomebodyWaits(): Promise<void> {
    // Where pushes lie on nodes, there.
    const waits = (await isDistributed(backend.pool.db))
      ? `select from run_command_on_workers('select exists (${WAITING.replaceAll("'", "''")})') where result = 't'`
      : WAITING
    while ((await backend.pool.pg.query(waits)).rowCount === 0);
  }
})

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
