import { DAY_MS } from '../../shared/src/index.ts'
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { encodeBlock } from '../../shared/src/hosts/metrics/block/index.ts'
import type { PushRow } from '../../backend/src/hosts/metrics/ingest/push-row.ts'
import { insertPushes } from '../../backend/src/hosts/metrics/ingest/store.ts'
import { createPool } from '../../backend/src/platform/db/index.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'
import { cut, lifeColumns } from '../samples/host-samples.ts'
import { cpuOfTree, median } from '../lib/processes.ts'

const SAMPLES = 6
const ROWS = 500
const STATEMENTS = 60
const VARIANTS = 256
/** 2000-01-01, from which Postgres counts days. */
const POSTGRES_EPOCH_DAY = 10_957

interface Owner {
  organization: number
  number: number
  id: string
  hash: Buffer
}

/** Rows of pushes that are not late; no two are the same. */
function rowsOf(owners: readonly Owner[], blocks: readonly Uint8Array[], nowMs: number, count: number): PushRow[] {
  return Array.from({ length: count }, (_, index) => {
    const { organization, id, hash } = owners[index % owners.length] as Owner
    const t0Ms = nowMs - Math.floor(index / owners.length)
    const block = blocks[index % blocks.length] as Uint8Array
    const load = { cpu: 1, memory: 1, disk: 1 }
    const piece = { t0Ms, tLastMs: t0Ms + 50_000, count: SAMPLES, digest: randomBytes(8).toString('latin1'), block, load }
    return { organization, serverId: id, credential: hash, bootId: '', piece }
  })
}

function int8(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}
function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
function int2(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

const COPY =
  'copy metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data) from stdin with (format binary)'
const COPY_HEAD = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])

function toCopy(rows: readonly PushRow[], numberOf: ReadonlyMap<string, number>, nowMs: number): Buffer {
  const day = int4(Math.floor(nowMs / DAY_MS) - POSTGRES_EPOCH_DAY)
  const received = int8(nowMs)
  const parts: Uint8Array[] = [COPY_HEAD]
  for (const { organization, serverId, piece } of rows) {
    const server = int4(numberOf.get(serverId) ?? 0)
    const columns = [
      int8(piece.t0Ms),
      Buffer.from(piece.digest, 'latin1'),
      int8(piece.tLastMs),
      received,
      int4(organization),
      server,
      day,
      int2(piece.count),
      piece.block,
    ]
    parts.push(int2(columns.length))
    for (const column of columns) parts.push(int4(column.length), column)
  }
  return Buffer.concat([...parts, int2(-1)])
}

/** The driver's connection, as far as its types leave it out. */
interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** One COPY with all of its bytes at hand, by the protocol of the driver's own queries. */
function copy(client: pg.PoolClient, bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const nothing = () => {}
  client.query({
    submit: (connection: CopyConnection) => connection.query(COPY),
    handleCopyInResponse: (connection: CopyConnection) => {
      connection.sendCopyFromChunk(bytes)
      connection.endCopyFrom()
    },
    handleCommandComplete: nothing,
    handleReadyForQuery: () => resolve(),
    handleError: (error: Error) => reject(error),
  } as unknown as pg.Submittable)
  return promise
}

/**
 * Points per CPU-second, this program and Postgres together, of the statement that stores pushes over those of COPY BINARY of the
 * same rows into the same table: the median of rounds in turns. COPY proves no token and knows no duplicates.
 */
export async function overCopy(
  url: string,
  postgresPid: number,
  tokens: readonly string[],
): Promise<{ ratio: number; points: number }> {
  const pool = createPool({ url, clock: systemClock, log: silentLog, namedStatements: true })
  const client = await pool.pg.connect()
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest())
  const { rows: found } = await pool.pg.query<{ organization: number; number: number; id: string; token_hash: Buffer }>(
    'select organization, number, id, token_hash from server where token_hash = any ($1)',
    [hashes],
  )
  const owners = found.map(({ token_hash: hash, ...owner }) => ({ ...owner, hash }))
  const numberOf = new Map(owners.map(({ id, number }) => [id, number]))
  const life = lifeColumns(1, 0, SAMPLES * VARIANTS)
  const blocks = Array.from({ length: VARIANTS }, (_, index) => encodeBlock(cut(life, index * SAMPLES, (index + 1) * SAMPLES)))
  const store = async (rows: PushRow[], nowMs: number) => {
    const results = await insertPushes(pool, rows, nowMs, false)
    if (!results.every((result) => result === 'stored'))
      throw new Error(`a row was ${results.find((result) => result !== 'stored')}`)
  }
  const cpuOf = async (run: (rows: PushRow[], nowMs: number) => Promise<void>) => {
    const nowMs = Date.now()
    const all = rowsOf(owners, blocks, nowMs, ROWS * STATEMENTS)
    const before = { own: process.cpuUsage(), postgres: cpuOfTree(postgresPid) }
    for (let from = 0; from < all.length; from += ROWS) await run(all.slice(from, from + ROWS), nowMs)
    const own = process.cpuUsage(before.own)
    return (own.user + own.system) / 1e6 + cpuOfTree(postgresPid) - before.postgres
  }
  const ratios: number[] = []
  const seconds: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const insert = await cpuOf(store)
    const copied = await cpuOf((rows, nowMs) => copy(client, toCopy(rows, numberOf, nowMs)))
    // The first shows how V8 compiles.
    if (round > 0) {
      ratios.push(copied / insert)
      seconds.push(insert)
    }
  }
  client.release()
  await pool.end()
  return { ratio: median(ratios), points: (ROWS * STATEMENTS * life.fieldIds.length * SAMPLES) / median(seconds) }
}
