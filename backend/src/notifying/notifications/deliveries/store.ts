import type { Severity } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { Language } from '../../../platform/language/index.ts'
import { enqueue, type Job, lockPendingKeys, type Queue } from '../../../platform/queue/index.ts'

/** What a delivery is about; instants are ISO 8601. */
interface DeliveryPayload {
  event_id: string
  event_at: string
  incident_id: string | null
  incident_at: string | null
  /** Of deliveries that are sent together with others of this type and urgency; null: it is sent alone. */
  group_type: string | null
  /** The delivery that it is sent with, itself included; null until that is decided. */
  group_id: string | null
}

/** The steps that go to a channel together. */
const GROUPED_TYPES: ReadonlySet<string> = new Set(['incident.opened', 'incident.resolved'])

/** Deliveries of notifications: the lane is the channel, the key of those about an incident names channel and incident. */
export const DELIVERIES: Queue<DeliveryPayload> = {
  table: 'notification_delivery',
  // A service that answers in 200 ms gets 40 a second.
  concurrency: 8,
  isOrdered: true,
  retrySpread: 0.2,
}

/** The same to browsers: the lane is the browser. */
export const PUSHES: Queue<DeliveryPayload> = { ...DELIVERIES, table: 'push_delivery', concurrency: 2 }

export type Delivery = Job<DeliveryPayload>

export interface NotifiedEvent {
  id: string
  type: string
  at: Date
  /** A reminder is sent alone. */
  isReminder: boolean
  /** Where the event is a step of an incident. */
  incident?: { id: string; at: Date; severity: Severity } | undefined
}

/** A critical opening never waits for the end of a group that began with a lesser one: they are groups of their own. */
const groupTypeOf = (type: string, severity: Severity): string =>
  type === 'incident.opened' && severity === 'critical' ? `${type} critical` : type

const keyOf = (lane: string, incidentId: string): string => `${lane} ${incidentId}`

/** Stores a delivery of an event for each of these channels or browsers; some are held until an instant. */
export const enqueueDeliveries = (
  db: Db,
  queue: Queue<DeliveryPayload>,
  organization: number,
  lanes: readonly string[],
  notified: NotifiedEvent,
  heldUntil: ReadonlyMap<string, Date>,
): Promise<void> => enqueueMany(db, queue, organization, [{ lanes, notified }], heldUntil, notified.at)

/** The same for many events, in their order. */
export async function enqueueMany(
  db: Db,
  queue: Queue<DeliveryPayload>,
  organization: number,
  all: readonly { lanes: readonly string[]; notified: NotifiedEvent }[],
  heldUntil: ReadonlyMap<string, Date>,
  createdAt: Date,
): Promise<void> {
  const textOfInstant = createInstantTexts()
  const jobs = all.flatMap(({ lanes, notified }) => {
    if (lanes.length === 0) return []
    const payload = payloadOf(notified, textOfInstant)
    return lanes.map((lane) => {
      const [notBefore, { incident }] = [heldUntil.get(lane), notified]
      return { organization, lane, payload, ...(incident && { key: keyOf(lane, incident.id) }), ...(notBefore && { notBefore }) }
    })
  })
  await enqueue(db, queue, jobs, createdAt)
}

/** ISO 8601. Many deliveries have the same instants, each of which takes longer to write than all else of one. */
function createInstantTexts(): (at: Date) => string {
  const texts = new Map<Date, string>()
  return (at) => {
    const known = texts.get(at) ?? at.toISOString()
    texts.set(at, known)
    return known
  }
}

const payloadOf = (
  { id, type, at, isReminder, incident }: NotifiedEvent,
  textOfInstant: (at: Date) => string,
): DeliveryPayload => ({
  event_id: id,
  event_at: textOfInstant(at),
  incident_id: incident?.id ?? null,
  incident_at: incident ? textOfInstant(incident.at) : null,
  group_type: incident && !isReminder && GROUPED_TYPES.has(type) ? groupTypeOf(type, incident.severity) : null,
  group_id: null,
})

/** Those channels or browsers without a delivery about an incident; the deliveries of the others do not end before the transaction. */
export async function withoutPending(
  db: Db,
  queue: Queue<DeliveryPayload>,
  organization: number,
  incidentId: string,
  lanes: readonly string[],
): Promise<string[]> {
  const keys = lanes.map((lane) => keyOf(lane, incidentId))
  const pending = await lockPendingKeys(db, queue.table, organization, keys)
  return lanes.filter((lane) => !pending.has(keyOf(lane, incidentId)))
}

/** An incident of a story, and a channel that is notified of its opening. */
export interface NotifiedOpening {
  incidentId: string
  lane: string
  isCritical: boolean
}

/**
 * Deletes the openings that wait for a channel which was notified of another one of these, or is before. One that is critical stays
 * unless another one is. Returns what it deleted.
 */
export async function dropRepeatedOpenings(
  db: Db,
  organization: number,
  openings: readonly NotifiedOpening[],
): Promise<{ incident_id: string; lane: string }[]> {
  const column = <T>(pick: (opening: NotifiedOpening) => T): T[] => openings.map(pick)
  // Locked: it is being sent.
  const { rows } = await sql<{ incident_id: string; lane: string }>`
    with known as materialized (
      select * from unnest(${column(({ incidentId }) => incidentId)}::text[], ${column(({ lane }) => lane)}::text[],
        ${column(({ isCritical }) => isCritical)}::boolean[]) as known (incident_id, lane, is_critical)
    ), pending as materialized (
      select d.id, d.position, known.incident_id, known.lane, known.is_critical
      from known join notification_delivery as d on d.organization = ${organization}
        and d.key = known.lane || ' ' || known.incident_id and d.payload ->> 'group_type' like 'incident.opened%'
        and d.payload ->> 'group_id' is null
      for update of d skip locked
    )
    delete from notification_delivery as d using pending as p
    where d.organization = ${organization} and d.id = p.id and exists (
      select from known as other
      where other.lane = p.lane and other.incident_id <> p.incident_id and (other.is_critical or not p.is_critical)
        and not exists (
          select from pending as later
          where later.lane = other.lane and later.incident_id = other.incident_id and later.position > p.position
        )
    )
    returning p.incident_id, p.lane`.execute(db)
  return rows
}

/** What a notification says. */
export interface NotificationContent {
  type: string
  data: Record<string, unknown>
  /** Of the incident, if it is about one. */
  evidence: Record<string, unknown> | null
  timeline: { at: string; type: string; message: string }[] | null
  /** Of the organization. */
  language?: Language
}

/** Undefined where the event is past its retention. The timeline ends at the moment in which the delivery was stored. */
export async function readContent(
  db: Db,
  { organization, created_at, payload }: Delivery,
): Promise<NotificationContent | undefined> {
  const { event_id, event_at, incident_id, incident_at } = payload
  const { rows } = await sql<NotificationContent>`
    select e.type, e.data, i.evidence, (select o.language from organization as o where o.number = ${organization}) as language, (
      select json_agg(json_build_object(
        'at', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'type', s.type, 'message', s.message
      ) order by s.at, s.id)
      from incident_event as s
      where s.organization = ${organization} and s.incident_id = ${incident_id} and s.at <= ${created_at}
    ) as timeline
    from live_event as e
    left join incident as i on i.organization = ${organization} and i.id = ${incident_id} and i.at = ${incident_at}::timestamptz
    where e.organization = ${organization} and e.id = ${event_id} and e.at = ${event_at}::timestamptz`.execute(db)
  return rows[0]
}
