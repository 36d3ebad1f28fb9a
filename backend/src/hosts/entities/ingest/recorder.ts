import type { EntityRecorder } from '../../metrics/index.ts'
import { ENTITY_EVENT_TYPES, type EntityEventType, type EntityKindName } from '@vedette/shared'
import { createRequestBatcher } from '../../../platform/concurrency/request-batcher.ts'
import { announceChange, type Pool } from '../../../platform/db/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { findServerNumber } from '../../servers/index.ts'
import { type NamedEntity, saveEntities } from '../storage/entity-store.ts'
import { insertEvents } from '../storage/event-store.ts'
import { idOfKind } from '../storage/fields.ts'
import { insertReadings, type PushedReadings } from '../storage/push-store.ts'
import { encodeReadings, type Reading } from '../storage/readings.ts'

type EntityBatch = Parameters<EntityRecorder['record']>[2][number]

/** What is known of a server: the number of each entity, and its attributes as far as this process knows them. */
interface KnownServer {
  server: number
  numbers: Map<string, { number: number; attributes: string | undefined; attributesAtMs: number; firstSeenMs: number }>
}

/** Some 200 bytes each. What is forgotten is read again with the next push. */
const MAX_KNOWN = 300_000
/** Rows in one statement. */
const STORE_AT_ONCE = 200

const keyOf = (kind: number, name: string): string => `${kind}/${name}`

export function createEntityRecorder(pool: Pick<Pool, 'db' | 'queryNamed'>, clock: Clock): EntityRecorder {
  const servers = new Map<string, KnownServer>()
  let known = 0
  const store = createRequestBatcher(async (rows: readonly PushedReadings[]) => {
    await insertReadings(pool, rows, clock.now())
    return rows
  }, STORE_AT_ONCE)

  async function knownServer(organization: number, serverId: string): Promise<KnownServer | undefined> {
    const key = `${organization}/${serverId}`
    const found = servers.get(key)
    if (found) return found
    const server = await findServerNumber(pool.db, organization, serverId)
    if (server === undefined) return undefined
    const fresh = { server, numbers: new Map() }
    servers.set(key, fresh)
    return fresh
  }

  /** Those whose number or newest attributes are not known yet are stored first. */
  async function learn(organization: number, serverId: string, own: KnownServer, batches: readonly EntityBatch[]) {
    const wanted = newsOf(own, batches)
    if (wanted.size === 0) return
    const saved = await saveEntities(pool.db, organization, serverId, [...wanted.values()])
    for (const { kind, name, number, first_seen: firstSeenMs } of saved ?? []) {
      const key = keyOf(kind, name)
      const { attributes, attributesAtMs = 0 } = wanted.get(key) ?? {}
      const before = own.numbers.get(key) ?? { attributes: undefined, attributesAtMs: 0 }
      if (!own.numbers.has(key)) known += 1
      const newest = attributes ? { attributes: JSON.stringify(attributes), attributesAtMs } : before
      own.numbers.set(key, { ...newest, number, firstSeenMs })
    }
  }

  return {
    record: async (organization, serverId, batches) => {
      if (known > MAX_KNOWN) {
        servers.clear()
        known = 0
      }
      const own = await knownServer(organization, serverId)
      if (!own) return
      await learn(organization, serverId, own, batches)
      const numberOf = (kind: EntityKindName, name: string) => own.numbers.get(keyOf(idOfKind(kind), name))?.number
      const stored = batches.flatMap(({ atMs, entities }) => {
        const readings = new Map<number, Reading>()
        for (const { kind, name, values } of entities) {
          const number = numberOf(kind, name)
          if (number !== undefined && !readings.has(number)) readings.set(number, { number, kind, values })
        }
        if (readings.size === 0) return []
        return [store({ organization, server: own.server, at: atMs, data: encodeReadings([...readings.values()]) })]
      })
      const events = eventsOf(batches, numberOf)
      await Promise.all([...stored, insertEvents(pool.db, { organization, server: own.server }, events)])
      // The rules are evaluated now, not when the next push is expected.
      if (events.length > 0) await announceChange(pool.db, 'metric_push', [serverId])
    },
  }
}

/** What a push says that is not known of its server yet, by entity. */
function newsOf(known: KnownServer, batches: readonly EntityBatch[]): Map<string, NamedEntity> {
  const wanted = new Map<string, NamedEntity>()
  for (const { atMs, entities, events } of batches)
    for (const one of [...entities, ...events]) {
      const key = keyOf(idOfKind(one.kind), one.name)
      const attributes = 'attributes' in one ? one.attributes : undefined
      const stored = known.numbers.get(key)
      const isNews = attributes && atMs > (stored?.attributesAtMs ?? 0) && JSON.stringify(attributes) !== stored?.attributes
      const before = wanted.get(key)
      if (stored && !isNews && atMs >= stored.firstSeenMs) continue
      // Of several in one push the newest attributes, and the earliest sight.
      const isNewer = attributes && (!before?.attributes || atMs > before.attributesAtMs)
      wanted.set(key, {
        kind: idOfKind(one.kind),
        name: one.name,
        attributes: isNewer ? attributes : before?.attributes,
        attributesAtMs: isNewer ? atMs : (before?.attributesAtMs ?? atMs),
        atMs: Math.min(atMs, before?.atMs ?? atMs),
      })
    }
  return wanted
}

function eventsOf(batches: readonly EntityBatch[], numberOf: (kind: EntityKindName, name: string) => number | undefined) {
  return batches.flatMap((batch) =>
    batch.events.flatMap(({ at, kind, name, type, exit_code, oom, lines }) => {
      const entity = numberOf(kind, name)
      if (entity === undefined || !isKnownType(type)) return []
      const details = {
        ...(exit_code !== undefined && { exit_code }),
        ...(oom !== undefined && { oom }),
        ...(lines && { lines }),
      }
      return [{ entity, at: Date.parse(at), type, details }]
    }),
  )
}

const isKnownType = (type: string): type is EntityEventType => (ENTITY_EVENT_TYPES as readonly string[]).includes(type)
