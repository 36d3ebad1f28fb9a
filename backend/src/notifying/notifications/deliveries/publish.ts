import type { EventType, Severity } from '@vedette/shared'
import { insertEvent, insertEvents, type NewEvent } from '../../event-stream/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import { findOperatorChannels, findSubscribers } from '../channels/recipient-store.ts'
import { quietUntil } from '../quiet-time/quiet-time.ts'
import { listQuietTimes } from '../quiet-time/store.ts'
import { DELIVERIES, enqueueDeliveries, enqueueMany, PUSHES } from './store.ts'

/** An event that is not a step of an incident. */
export interface PublishedEvent {
  type: EventType
  at: Date
  data: object
}

/** Stores an event, and a delivery for each webhook that subscribes to its type. Run it in the transaction that causes the event. */
export async function publish(db: Db, organization: number, event: PublishedEvent): Promise<void> {
  await publishTo(db, organization, event, await findSubscribers(db, organization, event.type))
}

/**
 * The same for an event of the installation: it goes to every enabled channel of the organization, except webhooks that subscribe
 * to other types only.
 */
export async function notifyOperator(db: Db, organization: number, event: PublishedEvent): Promise<void> {
  await publishTo(db, organization, event, await findOperatorChannels(db, organization, event.type))
}

/**
 * The same for these channels, contact methods and browsers. Each receives the events of one incident in their order; those of people
 * in their quiet time afterwards.
 */
export async function publishTo(
  db: Db,
  organization: number,
  event: Omit<NewEvent, 'id'>,
  channelIds: readonly string[],
  incident?: { id: string; at: Date; severity: Severity },
  browserIds: readonly string[] = [],
): Promise<void> {
  const id = newId()
  await insertEvent(db, organization, { id, ...event })
  const isReminder = 'reminder' in event.data && !('escalation_step' in event.data)
  const notified = { id, type: event.type, at: event.at, isReminder, incident }
  const severity = incident?.severity
  const heldUntil =
    severity === undefined ? NOT_HELD : await findHeld(db, organization, [...channelIds, ...browserIds], severity, event.at)
  await enqueueDeliveries(db, DELIVERIES, organization, channelIds, notified, heldUntil)
  await enqueueDeliveries(db, PUSHES, organization, browserIds, notified, heldUntil)
}

/** A step of an incident with whom it goes to. */
export interface PublishedStep {
  event: Omit<NewEvent, 'id'>
  channelIds: readonly string[]
  browserIds: readonly string[]
  incident: { id: string; at: Date; severity: Severity }
}

/** The same for steps of many incidents at one instant, with as many statements as for one of each severity. None is a reminder. */
export async function publishMany(db: Db, organization: number, steps: readonly PublishedStep[], at: Date): Promise<void> {
  const all = steps.map((step) => ({ ...step, id: newId() }))
  const storing = [
    insertEvents(
      db,
      organization,
      all.map(({ id, event }) => ({ id, ...event })),
    ),
    ...[...Map.groupBy(all, ({ incident }) => incident.severity)].map(([severity, some]) =>
      enqueueSteps(db, organization, severity, some, at),
    ),
  ]
  // While Postgres stores some of it, the rest is made.
  await Promise.all(storing)
}

async function enqueueSteps(
  db: Db,
  organization: number,
  severity: Severity,
  steps: readonly (PublishedStep & { id: string })[],
  at: Date,
): Promise<void> {
  const lanes = new Set(steps.flatMap(({ channelIds, browserIds }) => [...channelIds, ...browserIds]))
  if (lanes.size === 0) return
  const heldUntil = await findHeld(db, organization, [...lanes], severity, at)
  const to = (lanesOf: (step: PublishedStep) => readonly string[]) =>
    steps.map(({ id, ...step }) => ({
      lanes: lanesOf(step),
      notified: { id, type: step.event.type, at: step.event.at, isReminder: false, incident: step.incident },
    }))
  const [toChannels, toBrowsers] = [to(({ channelIds }) => channelIds), to(({ browserIds }) => browserIds)]
  await enqueueMany(db, DELIVERIES, organization, toChannels, heldUntil, at)
  await enqueueMany(db, PUSHES, organization, toBrowsers, heldUntil, at)
}

const NOT_HELD: ReadonlyMap<string, Date> = new Map()

/** Until when deliveries wait, by the contact method or browser: the end of the quiet time of its user. */
async function findHeld(
  db: Db,
  organization: number,
  lanes: readonly string[],
  severity: Severity,
  at: Date,
): Promise<ReadonlyMap<string, Date>> {
  if (lanes.length === 0) return NOT_HELD
  const quiet = await listQuietTimes(db, organization, lanes)
  return new Map(
    quiet.flatMap(({ lane, quiet_time: time }) => {
      const untilMs = quietUntil(time, severity, at.getTime())
      return untilMs === undefined ? [] : [[lane, new Date(untilMs)]]
    }),
  )
}
