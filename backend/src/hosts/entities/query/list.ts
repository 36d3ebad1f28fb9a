import {
  ENTITY_KINDS,
  type Entity,
  type EntityDetails,
  type EntityKindName,
  type EntityKindSpec,
  type EntityList,
  type ServerEntityListQuery,
  toTimestamp,
} from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { encodeId } from '../../../platform/ids.ts'
import { instantAt } from '../../../platform/time/instant.ts'
import type { EntityRow } from '../storage/entity-store.ts'
import { readEvents } from '../storage/event-store.ts'
import { idOfKind, kindOfId } from '../storage/fields.ts'
import { countKinds, type EntityHead, findEntities, findEntity, listHeads, listServers, type NamedServer } from './list-store.ts'
import { type LastReading, type LastReadings, type ReadDeps, readingKey, readPresent, readPresentAt } from './present.ts'

/** A list of one server, or of all servers with a tag. */
export interface ListRequest extends ServerEntityListQuery {
  serverId?: string
  tag?: string | undefined
}

const EVENTS = 20

/** One page of entities. Throws not_found for another organization's server, validation_error for a sort that the kind does not have. */
export async function listEntities(deps: ReadDeps, organization: number, request: ListRequest): Promise<EntityList> {
  const { db } = deps
  const { serverId, tag, kind, q, at, include, page = 1, limit = 20 } = request
  const { attribute, order } = orderOf(request)
  const servers = await listServers(db, organization, serverId === undefined ? { tag } : { id: serverId })
  const [only] = servers
  if (serverId !== undefined && !only) throw notFound()
  const numbers = servers.map(({ number }) => number)
  const atMs = at === undefined ? undefined : instantAt('at', at).getTime()
  const readings =
    atMs === undefined || !only
      ? await readPresent(deps, organization, servers, kind)
      : await readPresentAt(deps, organization, only.number, atMs, kind)
  const { present = true } = request
  const heads = await listHeads(db, organization, numbers, {
    kind: kind && idOfKind(kind),
    text: q,
    attribute,
    ...(present && { among: [...readings.values()] }),
  })
  const matching = order(
    heads.filter((head) => readings.has(readingKey(head)) === present),
    readings,
  )
  const shown = matching.slice((page - 1) * limit, page * limit)
  const rows = new Map((await findEntities(db, organization, shown)).map((row) => [readingKey(row), row]))
  const names = new Map(servers.map((server) => [server.number, server]))
  const entities = shown.flatMap((head) => {
    const [row, server] = [rows.get(readingKey(head)), names.get(head.server)]
    return row && server ? (toEntity(row, server, readings.get(readingKey(head))) ?? []) : []
  })
  const counts = include && only ? await countKinds(db, organization, only.number) : undefined
  return {
    entities,
    total: matching.length,
    page,
    limit,
    ...(counts && { counts: Object.fromEntries(counts.flatMap(({ kind: id, count }) => nameCount(kindOfId(id), count))) }),
  }
}

/** Nothing for a kind of a newer version. */
const nameCount = (kind: EntityKindName | undefined, count: number) => (kind ? [[kind, count] as const] : [])

/** Throws not_found. */
export async function readEntity(
  deps: ReadDeps,
  organization: number,
  { serverId, entityId }: { serverId: string; entityId: string },
): Promise<EntityDetails> {
  const { db } = deps
  const { row, server, kind } = await requireEntity(db, organization, serverId, entityId)
  const readings = await readPresent(deps, organization, [server], kind)
  const events = await readEvents(db, { organization, server: server.number, entities: [row.number] }, EVENTS)
  return {
    ...(toEntity(row, server, readings.get(readingKey(row))) as Entity),
    events: events.map(({ at, type, details: { exit_code = null, oom = null, lines = [] } }) => ({
      at: toTimestamp(at),
      type,
      exit_code,
      oom,
      lines,
    })),
  }
}

/** Throws not_found. */
export async function requireEntity(
  db: Db,
  organization: number,
  serverId: string,
  entityId: string,
): Promise<{ row: EntityRow; server: NamedServer; kind: EntityKindName }> {
  const [server] = await listServers(db, organization, { id: serverId })
  const row = server && (await findEntity(db, organization, server.number, entityId))
  const kind = row && kindOfId(row.kind)
  if (!server || !row || !kind) throw notFound()
  return { row, server, kind }
}

interface Order {
  /** The attribute that it needs of each. */
  attribute?: string
  order: (heads: readonly EntityHead[], readings: LastReadings) => EntityHead[]
}

/** What has no value comes last, and what has the same one is ordered by name. */
function orderOf({ kind, sort = defaultSort(kind) }: ListRequest): Order {
  const isDescending = sort.startsWith('-')
  const field = isDescending ? sort.slice(1) : sort
  const sign = isDescending ? -1 : 1
  const byName = (one: EntityHead, other: EntityHead) =>
    NAMES.compare(one.name, other.name) || one.server - other.server || one.number - other.number
  if (field === 'name') return { order: (heads) => heads.toSorted((one, other) => sign * byName(one, other)) }
  const spec: EntityKindSpec | undefined = kind && ENTITY_KINDS[kind]
  const isAttribute = spec?.attributes.includes(field) === true
  if (!kind || !(isAttribute || Object.hasOwn(ENTITY_KINDS[kind].fields, field))) {
    const message = kind ? `must be name or a field or attribute of ${kind}` : 'must be name, or a field or attribute with kind'
    throw invalid({ path: 'sort', message })
  }
  const order = <Value>(valueOf: (head: EntityHead) => Value | undefined, compare: (one: Value, other: Value) => number) => {
    return (heads: readonly EntityHead[]) => {
      const values = new Map(heads.map((head) => [head, valueOf(head)]))
      return heads.toSorted((one, other) => {
        const [left, right] = [values.get(one), values.get(other)]
        if (left === undefined || right === undefined)
          return Number(left === undefined) - Number(right === undefined) || byName(one, other)
        return sign * compare(left, right) || byName(one, other)
      })
    }
  }
  if (isAttribute) return { attribute: field, order: order((head) => head.attribute ?? undefined, NAMES.compare) }
  return {
    order: (heads, readings) =>
      order(
        (head) => readings.get(readingKey(head))?.values(kind)[field],
        (one, other) => one - other,
      )(heads),
  }
}

const NAMES = new Intl.Collator('en', { numeric: true })

function defaultSort(kind: EntityKindName | undefined): string {
  const spec: EntityKindSpec | undefined = kind && ENTITY_KINDS[kind]
  return spec?.sort === undefined ? 'name' : `-${spec.sort}`
}

/** Undefined for a kind of a newer version. */
function toEntity(row: EntityRow, server: NamedServer, reading: LastReading | undefined): Entity | undefined {
  const kind = kindOfId(row.kind)
  if (!kind) return undefined
  return {
    id: encodeId('entity', row.id),
    server_id: encodeId('server', server.id),
    server_name: server.name,
    kind,
    name: row.name,
    attributes: row.attributes,
    values: reading?.values(kind) ?? {},
    sampled_at: reading ? toTimestamp(reading.atMs) : null,
    present: reading !== undefined,
    first_seen_at: toTimestamp(row.first_seen),
    last_seen_at: toTimestamp(Math.max(row.last_seen, reading?.atMs ?? 0)),
  }
}
