import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
import { encodeBlock } from '../block/index.ts'
import { insertPushes, type PushRow } from '../store.ts'

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

  /** A push of this server, whatever it is given beside. */
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
    return { t0Ms, tLastMs: t0Ms, count: 1, digest: hash('sha256', `${t0Ms}`, 'latin1').slice(0, 8), block }
  }

  const at = (row: PushRow, ms: number): PushRow => ({ ...row, piece: pieceAt(ms) })
  const insert = (...rows: PushRow[]) => insertPushes(backend.pool, rows, backend.clock.now())
  const isStored = async (row: PushRow) => {
    const { rows } = await backend.pool.pg.query('select 1 from metric_push where t0 = $1', [row.piece.t0Ms])
    return rows.length
  }

  it.each([
    ['of now', 0],
    ['that are late', 3 * 86_400_000],
  ])('judges each of the rows %s by itself, and stores what is new [PUSH-16, PUSH-22]', async (_, agoMs) => {
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
  })

  it('stores once what two instances get in the same moment, and loses nothing beside [PUSH-22]', async () => {
    const now = backend.clock.now()
    const [shared, beside] = [at(live, now + 10), at(live, now + 11)]
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
    const results = insert(shared, beside)
    await untilSomebodyWaits()
    await other.query('commit')
    other.release()
    expect(await results).toEqual(['duplicate', 'stored'])
    expect([await isStored(shared), await isStored(beside)]).toEqual([1, 1])
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
    for (;;) {
      const { rows } = await backend.pool.pg.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%metric_push%'",
      )
      if (rows.length > 0) return
    }
  }
})
