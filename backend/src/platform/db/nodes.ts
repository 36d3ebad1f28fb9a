import { type Kysely, sql } from 'kysely'
import { createRequestBatcher } from '../concurrency/request-batcher.ts'
import { isDistributed } from './distributed.ts'
import { isCanceled, isNodeAway } from './lost-connection.ts'
import type { Database } from './schema.ts'

type Db = Kysely<Database>

/** On which node the rows of an organization are; `ONE_NODE` for all where the tables are not distributed. */
export type NodeOf = (organization: number) => string | Promise<string>

export const ONE_NODE = ''
/** How long a node that was down, or did not answer, is not tried. */
export const NODE_REST_MS = 8_000
const LOOK_UP_AT_ONCE = 500
/** Shards seldom move. A stale answer only delays the pushes of an organization together with those of its former node. */
const MAX_CACHED = 100_000

/** Whether a node was the cause, or may have been: the server could not reach it, or did not answer in time. */
export const isOfNode = (error: unknown): boolean =>
  isNodeAway(error) || isCanceled(error) || (error as NodeJS.ErrnoException).code === 'ETIMEDOUT'

/** Known nodes are returned synchronously: every push asks. */
export function createNodeFinder(db: Db): NodeOf {
  const cache = new Map<number, string>()
  const lookUp = createRequestBatcher((organizations: readonly number[]) => readNodes(db, organizations), LOOK_UP_AT_ONCE)
  let isOne = false

  async function find(organization: number): Promise<string> {
    isOne = !(await isDistributed(db))
    if (isOne) return ONE_NODE
    const node = await lookUp(organization)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(organization, node)
    return node
  }

  return (organization) => (isOne ? ONE_NODE : (cache.get(organization) ?? find(organization)))
}

/** By an object that a pool shares with its transactions. */
const caches = new WeakMap<object, Map<number, string>>()

/** The nodes of organizations whose tables are distributed. What is not cached is read in one statement, also in a transaction. */
export async function findNodes(db: Db, organizations: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const key = db.getExecutor().adapter
  const cache = caches.get(key) ?? new Map<number, string>()
  caches.set(key, cache)
  if (cache.size >= MAX_CACHED) cache.clear()
  const unknown = organizations.filter((organization) => !cache.has(organization))
  const nodes = unknown.length === 0 ? [] : await readNodes(db, unknown)
  for (const [index, organization] of unknown.entries()) cache.set(organization, nodes[index] as string)
  return cache
}

/** The coordinator's catalog answers, whatever the nodes do. */
async function readNodes(db: Db, organizations: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ organization: number; node: number }>`
    with shard as materialized (
      select organization, get_shard_id_for_distribution_column('metric_push', organization) as id
      from unnest(${organizations}::int4[]) as organization
    )
    select organization, min(groupid)::int4 as node from shard join pg_dist_placement on shardid = shard.id group by 1`.execute(
    db,
  )
  const nodes = new Map(rows.map(({ organization, node }) => [organization, `node ${node}`]))
  return organizations.map((organization) => nodes.get(organization) ?? 'no node')
}
