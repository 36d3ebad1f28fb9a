import { isDeepStrictEqual } from 'node:util'
import { type HostState, MAX_FAILED_UNITS } from '@vedette/shared'
import { publish } from '../../notifying/notifications/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { describeEntities, type DescribedEntity, type MeasuredEntities, readMeasured } from '../entities/index.ts'
import { type Finding, type MeasuredServer, toServerHealth, toWireFinding } from '../servers/index.ts'
import { deriveHealth, type Health, kindsFound } from './derive.ts'
import { type ChangedHealth, upsertHealth } from './store.ts'
import type { ThingKind } from './thing.ts'
import { DEATHS_MS, STATE_MS, suspectsOf, thingsOfEntities, thingsOfHost } from './things.ts'

/** Days until the filesystems of a server are full, by mount; undefined while nothing was forecast of it. */
export type ForecastOf = (key: { organization: number; server: number }) => Promise<ReadonlyMap<string, number> | undefined>

/** What is not in the stored state of a server. */
export interface MeasuredMore {
  forecastOf?: ForecastOf
  /** How many units have failed, by the newest sample; called where the list of their names is full. */
  failedUnitsOf?(server: MeasuredServer): number | undefined
}

/** What was derived of a server. */
export interface DerivedHealth extends Health {
  /** Instant of the newest sample, ms. */
  atMs: number
}

/**
 * Derives the health of these servers from what is stored, stores it where it changed, and publishes each change of what is found. One
 * statement reads the entities of all of them; a second one looks up names where something may be wrong. By id.
 */
export async function evaluateHealth(
  db: Db,
  servers: readonly MeasuredServer[],
  now: Date,
  { forecastOf = () => Promise.resolve(undefined), failedUnitsOf = () => undefined }: MeasuredMore = {},
): Promise<Map<string, DerivedHealth>> {
  const known = servers.filter(({ sampled_at_ms: atMs }) => atMs > 0)
  if (known.length === 0) return new Map()
  const entities = await readMeasured(
    db,
    known.map(({ organization, number, sampled_at_ms: atMs }) => ({ organization, server: number, atMs })),
    DEATHS_MS,
  )
  const measured = known.map((server, index) => {
    const own = freshEntities(entities[index], server)
    return { server, own, suspects: own ? suspectsOf(own, kindsFound(server.memory ?? undefined)) : [] }
  })
  const keys = measured.flatMap(({ server, suspects }) =>
    suspects.map(({ number }) => ({ organization: server.organization, server: server.number, number })),
  )
  const described = Map.groupBy(await describeEntities(db, keys), ({ server }) => server)
  const derived = []
  for (const { server, own, suspects } of measured) {
    const { organization, number } = server
    const names = new Map((described.get(number) ?? []).map((entity) => [entity.number, entity]))
    const days = mayFill(server)
      ? ((await forecastOf({ organization, server: number })) ?? daysIn(server))
      : new Map<string, number>()
    derived.push({ server, atMs: server.sampled_at_ms, health: deriveOf(server, days, own, suspects, names, failedUnitsOf) })
  }
  await store(
    db,
    derived.filter(({ server, health }) => !isStored(server, health)),
    now,
  )
  return new Map(derived.map(({ server, atMs, health }) => [server.id, { ...health, atMs }]))
}

/** What was read long before the newest sample is not there any more. */
function freshEntities(entities: MeasuredEntities | undefined, { sampled_at_ms: atMs }: MeasuredServer) {
  return entities && atMs - entities.atMs <= STATE_MS ? entities : undefined
}

/** What is filled to less is full in a week only if it grows by some six percent points a day: no forecast is made for it. */
const MAY_FILL_PERCENT = 60

const mayFill = ({ filesystems }: MeasuredServer): boolean =>
  filesystems?.some(({ percent }) => percent >= MAY_FILL_PERCENT) === true

/** The forecast that was found last: after a start nothing is known for a while. */
const daysIn = ({ findings }: MeasuredServer): Map<string, number> =>
  new Map(
    (findings ?? []).flatMap(({ code, field, value }) =>
      code === 'fills_soon' && field !== null && value !== null ? [[field, value]] : [],
    ),
  )

function deriveOf(
  state: MeasuredServer,
  daysUntilFull: ReadonlyMap<string, number>,
  entities: MeasuredEntities | undefined,
  suspects: MeasuredEntities['readings'],
  described: ReadonlyMap<number, DescribedEntity>,
  failedUnitsOf: (server: MeasuredServer) => number | undefined,
): Health {
  const { sampled_at_ms: atMs, state_at_ms: stateMs, lost, memory } = state
  const isFresh = stateMs !== null && atMs - stateMs <= STATE_MS
  const [filesystems, host] = isFresh ? [state.filesystems ?? [], state.host ?? {}] : [[], {}]
  const ofEntities = entities ? thingsOfEntities(entities, suspects, described, host.uptime_seconds) : []
  const units = new Set(ofEntities.flatMap(({ kind, name }) => (kind === 'unit' ? [name] : [])))
  const failed = isFull(host) ? failedUnitsOf(state) : undefined
  const things = [...ofEntities, ...thingsOfHost({ filesystems, host }, { ...lost }, units, daysUntilFull, failed)]
  return deriveHealth({ atMs, things, before: memory ?? undefined, read: readKinds(entities, isFresh ? state : undefined) })
}

/** The kinds of things of which something was read: what is missing among them is gone, or well. */
function readKinds(entities: MeasuredEntities | undefined, state: MeasuredServer | undefined): Set<ThingKind> {
  const kinds = new Set<ThingKind>(entities?.readings.map(({ kind }) => kind))
  if (state?.filesystems) kinds.add('filesystem')
  if (state?.host?.failed_units) kinds.add('unit')
  // Which ones are in a full list changes with every other one: what is not in it may have failed still.
  if (isFull(state?.host ?? {})) kinds.delete('unit')
  return kinds
}

const isFull = ({ failed_units: failed = [] }: HostState): boolean => failed.length >= MAX_FAILED_UNITS

const isStored = ({ findings, memory }: MeasuredServer, health: Health): boolean =>
  findings !== null && isDeepStrictEqual(findings, health.findings) && isDeepStrictEqual(memory, health.memory)

interface Change extends ChangedHealth {
  name: string
  before: readonly Finding[]
}

async function store(
  db: Db,
  derived: readonly { server: MeasuredServer; atMs: number; health: Health }[],
  now: Date,
): Promise<void> {
  if (derived.length === 0) return
  const changes = derived.map(
    ({ server: { organization, id, name, findings }, atMs, health }): Change => ({
      organization,
      id,
      name,
      atMs,
      health,
      before: findings ?? [],
    }),
  )
  await inTransaction(db, async (transaction) => {
    const stored = await upsertHealth(transaction, changes)
    for (const change of changes) {
      const event = stored.has(change.id) ? changedEvent(change) : undefined
      if (event) await publish(transaction, change.organization, { type: 'server.health_changed', at: now, data: event })
    }
  })
}

/** The data of the event; undefined where what is found is the same, and only values differ. Pure. */
function changedEvent({ id, name, before, health }: Pick<Change, 'id' | 'name' | 'before' | 'health'>): object | undefined {
  const keyOf = ({ code, entityId, field, text }: Finding) =>
    `${code} ${entityId ?? (code === 'unit_failed' && field === 'failed' ? text : field)}`
  const [former, current] = [new Set(before.map(keyOf)), new Set(health.findings.map(keyOf))]
  if (former.size === current.size && former.isSubsetOf(current)) return undefined
  return {
    server: { id: encodeId('server', id), name },
    health: toServerHealth(health.findings, true),
    began: health.findings.filter((finding) => !former.has(keyOf(finding))).map((finding) => toWireFinding(finding)),
    ended: before.filter((finding) => !current.has(keyOf(finding))).map((finding) => toWireFinding(finding)),
  }
}
