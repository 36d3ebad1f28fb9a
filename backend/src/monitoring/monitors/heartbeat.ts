import {
  type HeartbeatSchedule,
  longestPauseSeconds,
  type NextPing,
  scheduleFaults,
  TIMEOUT_SECONDS,
  toTimestamp,
  isWatched,
} from '@vedette/shared'
import { isDeepStrictEqual } from 'node:util'
import { readStatuses } from '../checks/index.ts'
import {
  awaitPings,
  deleteHeartbeats,
  freeSlug,
  listExpected,
  newPingToken,
  refuseTakenAddresses,
  restoreSlugs,
  saveHeartbeats,
  stopAwaiting,
} from '../heartbeats/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { isComposite } from './composite-fields.ts'
import type { Definition } from './definition.ts'

// Heartbeats wait for pings instead of sending requests. What they do differently when a monitor is made, changed, paused, resumed,
// deleted and restored is here; each function leaves monitors of other types out.

export const isHeartbeat = ({ type }: { type: string }): boolean => type === 'heartbeat'

/** Whether checks are due of a monitor. Nothing is due of a heartbeat, whose pings are its checks, and of a composite. */
export const isChecked = (monitor: { type: string }): boolean => !isHeartbeat(monitor) && !isComposite(monitor)

interface Context {
  db: Db
  tenant: { number: number }
  region: string
  at: Date
}

/**
 * The definition with what a heartbeat has by itself: the interval of its schedule, one region and no confirmations; and where they
 * are missing, a name in its URL and a token. A change without a token keeps that of the definition before, an empty one makes a new one.
 * Other definitions stay as they are.
 */
export async function completeHeartbeat(context: Context, definition: Definition, before?: Definition): Promise<Definition> {
  if (!isHeartbeat(definition)) return definition
  const { db, tenant, region, at } = context
  const needsSlug = URL.parse(definition.url)?.href === 'heartbeat://'
  const stored = before && isHeartbeat(before) ? before.credentials : {}
  const { token = '' } = { ...stored, ...definition.credentials }
  return {
    ...definition,
    ...fixedOfHeartbeat(definition, region, at.getTime()),
    url: needsSlug ? `heartbeat://${await freeSlug(db, tenant.number, definition.name)}` : definition.url,
    credentials: { ...definition.credentials, token: token === '' ? newPingToken() : token },
  }
}

/** What the schedule of a heartbeat decides. Pure. */
export function fixedOfHeartbeat(
  { options: { schedule }, interval: given }: Definition,
  region: string,
  nowMs: number,
): Pick<Definition, 'interval' | 'timeout' | 'regions' | 'confirmations'> {
  const isValid = scheduleFaults(schedule).length === 0
  const interval = isValid ? longestPauseSeconds(schedule as HeartbeatSchedule, nowMs) : given
  return { interval, timeout: Math.min(TIMEOUT_SECONDS.default, interval), regions: [region], confirmations: 1 }
}

const scheduleOf = ({ options }: Pick<Definition, 'options'>): HeartbeatSchedule => options.schedule as HeartbeatSchedule

/** The name and the token in the address of a heartbeat's pings. */
function addressOf({ url, credentials }: Pick<Definition, 'url' | 'credentials'>): { slug: string; token: string } {
  return { slug: URL.parse(url)?.hostname ?? '', token: credentials.token ?? '' }
}

/** Where a monitor is pinged; undefined unless it is a heartbeat. */
export const pingUrlOf = (definition: Definition, publicUrl: string): string | undefined =>
  isHeartbeat(definition) ? `${publicUrl}/ping/${addressOf(definition).token}` : undefined

/** A definition that a request gave; `monitor`: the one that it changes. */
interface GivenDefinition {
  path: string
  monitor: number | undefined
  definition: Definition
}

/** Throws validation_error if another heartbeat has the name or the token of one of these. */
export const refuseTakenPings = (db: Db, organization: number, given: readonly GivenDefinition[]): Promise<void> =>
  refuseTakenAddresses(
    db,
    organization,
    given
      .filter(({ definition }) => isHeartbeat(definition))
      .map(({ path, monitor, definition }) => ({ path, monitor, ...addressOf(definition) })),
  )

/** Stores the names and tokens of heartbeats. */
export const savePings = (
  db: Db,
  organization: number,
  monitors: readonly { monitor: number; definition: Definition }[],
): Promise<void> =>
  saveHeartbeats(
    db,
    organization,
    monitors
      .filter(({ definition }) => isHeartbeat(definition))
      .map(({ monitor, definition }) => ({ monitor, ...addressOf(definition) })),
  )

/** Expects the next ping from now on. */
export const resumePings = (
  db: Db,
  organization: number,
  rows: readonly ({ number: number; type: string } & Pick<Definition, 'options'>)[],
  at: Date,
): Promise<void> =>
  awaitPings(
    db,
    organization,
    rows.filter(isHeartbeat).map((row) => ({ monitor: row.number, schedule: scheduleOf(row) })),
    at,
  )

/** Of heartbeats when the next ping is expected, by number; null where none is. */
export async function readNextPings(
  db: Db,
  organization: number,
  rows: readonly ({ number: number; type: string } & Pick<Definition, 'options'>)[],
  nowMs: number,
): Promise<Map<number, NextPing | null>> {
  const heartbeats = rows.filter(isHeartbeat)
  if (heartbeats.length === 0) return new Map()
  const expected = await listExpected(
    db,
    organization,
    heartbeats.map(({ number }) => number),
  )
  return new Map(
    heartbeats.map((row) => {
      const dueByMs = expected.get(row.number)
      if (dueByMs === undefined) return [row.number, null]
      const expectedMs = dueByMs - scheduleOf(row).grace_seconds * 1_000
      return [row.number, { expected_at: toTimestamp(expectedMs), due_by: toTimestamp(dueByMs), late: nowMs >= expectedMs }]
    }),
  )
}

/** Expects no pings any more. `isDeleted`: they are unknown from now on. */
export async function endPings(
  db: Db,
  organization: number,
  rows: readonly { number: number; type: string }[],
  isDeleted: boolean,
): Promise<void> {
  const heartbeats = rows.filter(isHeartbeat).map(({ number }) => number)
  if (heartbeats.length > 0) await stopAwaiting(db, organization, heartbeats, isDeleted)
}

/** Gives restored heartbeats their names, and expects the next pings of those that are not paused. */
export async function restorePings(
  db: Db,
  organization: number,
  rows: readonly ({ number: number; type: string; url: string } & Pick<Definition, 'options'>)[],
  paused: ReadonlySet<number>,
  at: Date,
): Promise<void> {
  await restoreSlugs(db, organization, rows.filter(isHeartbeat))
  const running = rows.filter(({ number }) => !paused.has(number))
  await resumePings(db, organization, running, at)
}

interface Revision {
  row: { number: number }
  before: Definition
  definition: Definition
}

/** Whether a monitor was a heartbeat and stays one: the same job, whatever it waits for. */
export const staysHeartbeat = ({ before, definition }: Revision): boolean => isHeartbeat(before) && isHeartbeat(definition)

/** Stores the names and tokens of heartbeats; a changed schedule expects the next ping from now on. */
export async function revisePings(db: Db, organization: number, revisions: readonly Revision[], at: Date): Promise<void> {
  const gone = revisions.filter(({ before, definition }) => isHeartbeat(before) && !isHeartbeat(definition))
  const numbers = gone.map(({ row }) => row.number)
  if (numbers.length > 0) await deleteHeartbeats(db, organization, numbers)
  const heartbeats = revisions.filter(({ definition }) => isHeartbeat(definition))
  const saved = heartbeats.map(({ row, definition }) => ({ monitor: row.number, definition }))
  await savePings(db, organization, saved)
  const changed = heartbeats.filter(({ before, definition }) => !isDeepStrictEqual(before.options, definition.options))
  if (changed.length === 0) return
  const rows = changed.map(({ row: { number }, definition: { type, options } }) => ({ number, type, options }))
  const statuses = await readStatuses(
    db,
    organization,
    rows.map(({ number }) => number),
  )
  const running = new Set(statuses.filter(({ status }) => isWatched(status)).map(({ monitor }) => monitor))
  const awaited = rows.filter(({ number }) => running.has(number))
  await resumePings(db, organization, awaited, at)
}
