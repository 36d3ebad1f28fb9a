import { DAY_MS, EVENT_TYPES, type EventType, type LiveEvent, type LiveEventList, toTimestamp } from '@vedette/shared'
import { allows, type Principal, tenantOf } from '../../access/auth/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { encodeId, lowestIdOf, parseId } from '../../platform/ids.ts'
import { type EventRow, findNewest, findPosition, LOOKBACK_MS, readEventsFrom, readNewestEvents } from './store.ts'

const AT_ONCE = 1_000
const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES)

/** An event as clients have it. */
export const toEvent = ({ id, type, at, data }: EventRow): LiveEvent => ({
  id: encodeId('event', id),
  type: type as EventType,
  timestamp: toTimestamp(at.getTime()),
  data,
})

/** Whether this caller may read events of this type: those of members need `org:read`. */
export const isVisible = (principal: Principal, { type }: { type: string }): boolean =>
  KNOWN.has(type) && (!type.startsWith('member.') || allows(principal, 'org:read'))

/**
 * What happened since an event, at least: what was stored at the same moment may come again. Without an id nothing, and where to
 * begin. An id that is unknown or too old, and more than 1,000 events, are said to be incomplete.
 */
export async function listEvents(db: Db, principal: Principal, after: string | undefined): Promise<LiveEventList> {
  const { number: organization } = tenantOf(principal)
  const newest = await findNewest(db, organization)
  const here = newest === undefined ? null : encodeId('event', newest)
  if (after === undefined) return { events: [], last_event_id: here, is_complete: true }
  const rows = await readEventsAfter(db, organization, after)
  if (!rows) return { events: [], last_event_id: here, is_complete: false }
  const events = rows.filter((row) => isVisible(principal, row)).map(toEvent)
  const last = rows.at(-1)
  return { events, last_event_id: last ? encodeId('event', last.id) : after, is_complete: true }
}

/** An id has the time of the instance that stored the event, which may differ from the clock that set the time of the event. */
const CLOCKS_DIFFER_MS = DAY_MS

/** The newest events since an instant, newest first, at most so many. */
export async function listNewestEvents(db: Db, principal: Principal, sinceMs: number, limit: number): Promise<LiveEvent[]> {
  const types = EVENT_TYPES.filter((type) => isVisible(principal, { type }))
  const sinceId = lowestIdOf(sinceMs - CLOCKS_DIFFER_MS)
  const rows = await readNewestEvents(db, tenantOf(principal).number, { types, since: new Date(sinceMs), sinceId }, limit)
  return rows.toSorted((one, other) => other.at.getTime() - one.at.getTime()).map(toEvent)
}

/** Undefined where nobody can say what came after it. */
async function readEventsAfter(db: Db, organization: number, after: string): Promise<EventRow[] | undefined> {
  const id = parseId('event', after)
  const position = id === undefined ? undefined : await findPosition(db, organization, id)
  if (!position) return undefined
  const since = new Date(position.at.getTime() - LOOKBACK_MS)
  const rows = await readEventsFrom(db, [organization], position.settled, since, AT_ONCE)
  return rows.filter((row) => row.id !== id)
}
