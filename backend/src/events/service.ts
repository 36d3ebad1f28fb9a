import { EVENT_TYPES, type EventType, type LiveEvent, type LiveEventList, toTimestamp } from '@vedette/shared'
import { allows, type Principal } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { encodeId, lowestIdOf, parseId } from '../platform/ids.ts'
import { type EventRow, findNewest, findPlace, readEventsFrom, readNewestEvents } from './store.ts'

/** What somebody may hear of: who belongs to an organization is not for every key. */
export type Audible = (type: string) => boolean

export const audibleTo =
  (principal: Principal): Audible =>
  (type) =>
    !type.startsWith('member.') || allows(principal, 'org:read')

const AT_ONCE = 1_000
/** Transactions that were not over when an event was stored have stored theirs about then. */
const LOOK_BACK_MS = 15 * 60_000
const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES)

/** An event as clients have it. */
export const toEvent = ({ id, type, at, data }: EventRow): LiveEvent => ({
  id: encodeId('event', id),
  type: type as EventType,
  timestamp: toTimestamp(at.getTime()),
  data,
})

export const isHeard = (audible: Audible, { type }: Pick<EventRow, 'type'>): boolean => KNOWN.has(type) && audible(type)

/**
 * What happened since an event, at least: what was stored at the same moment may come again. Without an id nothing, and where to
 * begin. An id that is unknown or too old, and more than 1,000 events, are said to be incomplete.
 */
export async function listEvents(
  db: Db,
  organization: number,
  after: string | undefined,
  audible: Audible,
): Promise<LiveEventList> {
  const newest = await findNewest(db, organization)
  const here = newest === undefined ? null : encodeId('event', newest)
  if (after === undefined) return { events: [], last_event_id: here, is_complete: true }
  const rows = await readEventsAfter(db, organization, after)
  if (!rows) return { events: [], last_event_id: here, is_complete: false }
  const events = rows.filter((row) => isHeard(audible, row)).map(toEvent)
  const last = rows.at(-1)
  return { events, last_event_id: last ? encodeId('event', last.id) : after, is_complete: true }
}

/** Ids are of the clock of whoever stored the event, which may differ from that of who saw what it tells of. */
const CLOCKS_DIFFER_MS = 86_400_000

/** The newest events since an instant, newest first, at most so many. */
export async function listNewestEvents(
  db: Db,
  organization: number,
  audible: Audible,
  sinceMs: number,
  limit: number,
): Promise<LiveEvent[]> {
  const types = EVENT_TYPES.filter(audible)
  const sinceId = lowestIdOf(sinceMs - CLOCKS_DIFFER_MS)
  const rows = await readNewestEvents(db, organization, { types, since: new Date(sinceMs), sinceId }, limit)
  return rows.toSorted((one, other) => other.at.getTime() - one.at.getTime()).map(toEvent)
}

/** Undefined where nobody can say what came after it. */
async function readEventsAfter(db: Db, organization: number, after: string): Promise<EventRow[] | undefined> {
  const id = parseId('event', after)
  const place = id === undefined ? undefined : await findPlace(db, organization, id)
  if (!place) return undefined
  const since = new Date(place.at.getTime() - LOOK_BACK_MS)
  const rows = await readEventsFrom(db, [organization], place.settled, since, AT_ONCE)
  return rows.filter((row) => row.id !== id)
}
