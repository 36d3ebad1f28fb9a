import { DAY_MS, HOUR_MS, ICAL_DAYS, MINUTE_MS } from '@vedette/shared'
import { findMembersByEmail } from '../../../access/members/index.ts'
import { runInSequence } from '../../../platform/concurrency/run-in-sequence.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import { type Db, inTransaction, type StoredIcal, type StoredOverride } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { OutboundResponse } from '../../notifications/index.ts'
import { dutiesInTurns, firstOf } from './duties.ts'
import { MAX_CALENDAR_LENGTH, parseCalendar } from './parse.ts'
import { decryptUrl, requestedUrl } from './secret.ts'
import { toShifts } from './shifts.ts'
import * as store from './store.ts'

/** The request for a calendar: addresses guarded, at most 4 MiB + 1 byte read within 10 s. Its errors have a message for people. */
export type FetchCalendar = (request: {
  url: string
  method: 'GET'
  headers: Record<string, string>
  body: string
}) => Promise<OutboundResponse>

export interface RefreshDeps {
  db: Db
  clock: Clock
  log: Log
  encrypter: Encrypter
  fetchCalendar: FetchCalendar
  ending: AbortSignal
}

export const CALENDAR_LIMITS = { limitMs: 10_000, maxResponseBytes: MAX_CALENDAR_LENGTH + 1, maxRedirects: 3, isReading: true }

const EVERY_MS = DAY_MS
/** After a failure, and after a process died at work. */
const RETRY_MS = HOUR_MS
const CLAIM_MS = 15 * MINUTE_MS
/** One at a time: each may have 4 MiB. */
const MOST_AT_ONCE = 20
/** A calendar that has not changed is good for 30 days: so many more are read each time. */
const UNCHANGED_MS = 30 * DAY_MS
const AHEAD_MS = ICAL_DAYS * DAY_MS + UNCHANGED_MS
/** Before those of somebody with two events at once are joined. */
const MAX_DUTIES = 20_000
const MAX_ERROR_LENGTH = 200

/** Reads the calendars that are due, and replaces the shifts that came from them. One that fails keeps those that it had, and says so. */
export async function refreshCalendars(deps: RefreshDeps): Promise<void> {
  const nowMs = deps.clock.now()
  const due = await store.claimDue(deps.db, new Date(nowMs), new Date(nowMs + CLAIM_MS), MOST_AT_ONCE)
  const tasks = due.map((row) => async () => {
    if (!deps.ending.aborted) await refresh(deps, row)
  })
  await runInSequence(tasks)
}

const NOTHING: StoredIcal = { etag: null, full_at: null, read_at: null, error: null, failing_since: null, faults: [] }

async function refresh(deps: RefreshDeps, row: store.FollowingRow): Promise<void> {
  const { clock, log } = deps
  const before = row.ical_state ?? NOTHING
  let found: CalendarReading
  try {
    found = await read(deps, row, before)
  } catch (error) {
    // A stopping process aborts its requests: nothing is wrong with the calendar.
    if (deps.ending.aborted) return
    found = { error: errorText(error) }
    log.warn({ schedule: encodeId('schedule', row.id), err: found.error }, 'the calendar of a schedule could not be read')
  }
  const nowMs = clock.now()
  await inTransaction(deps.db, async (db) => {
    const current = await store.lockFollowing(db, row)
    if (!current) return
    const state = current.ical_state ?? NOTHING
    await store.storeRead(db, row, {
      rota: 'shifts' in found ? { ...current.rota, calendar: [...found.shifts] } : current.rota,
      state: stateAfter(state, found, nowMs),
      dueAt: new Date(nowMs + ('error' in found ? RETRY_MS : EVERY_MS)),
    })
  })
}

type CalendarReading =
  | { error: string }
  | { isUnchanged: true }
  | { shifts: readonly StoredOverride[]; faults: string[]; etag: string | null }

/** Pure. */
function stateAfter(before: StoredIcal, found: CalendarReading, nowMs: number): StoredIcal {
  if ('error' in found) return { ...before, error: found.error, failing_since: before.failing_since ?? nowMs }
  const works = { ...before, read_at: nowMs, error: null, failing_since: null }
  return 'shifts' in found ? { ...works, etag: found.etag, full_at: nowMs, faults: found.faults } : works
}

/** Throws an error with a message for people. */
async function read(deps: RefreshDeps, row: store.FollowingRow, before: StoredIcal): Promise<CalendarReading> {
  const url = decryptUrl(deps.encrypter, row.id, row.ical_url)
  if (url === undefined) throw new Error('its address cannot be decrypted: enter it again')
  const nowMs = deps.clock.now()
  const isRecent = before.etag !== null && before.full_at !== null && before.full_at > nowMs - UNCHANGED_MS
  const {
    status,
    headers,
    text,
    bytes = Buffer.from(text),
  } = await deps.fetchCalendar({
    url: requestedUrl(url),
    method: 'GET',
    headers: { accept: 'text/calendar, */*;q=0.1', ...(isRecent && { 'if-none-match': before.etag as string }) },
    body: '',
  })
  if (status === 304 && isRecent) return { isUnchanged: true }
  if (status !== 200) throw new Error(`it answered with status ${status}`)
  if (bytes.length > MAX_CALENDAR_LENGTH) throw new Error('it has more than 4 MiB')
  const calendar = parseCalendar(bytes.toString(), row.time_zone)
  if (calendar.isNone) throw new Error(calendar.faults.join())
  const duties = await dutiesInTurns(calendar, { fromMs: nowMs, toMs: nowMs + AHEAD_MS }, MAX_DUTIES)
  if (!duties) throw new Error(`it has more than ${MAX_DUTIES} shifts in ${AHEAD_MS / DAY_MS} days`)
  const names = [...new Set(duties.duties.flatMap((one) => one.names.map(emailOf)))]
  const members = await findMembersByEmail(deps.db, row.organization, names)
  const { shifts, faults } = toShifts(duties.duties, (name) => members.get(emailOf(name)), row.rota.calendar ?? [], nowMs)
  const all = [...duties.faults, ...faults]
  const etag = headers?.['etag']
  return {
    shifts,
    faults: firstOf(all),
    // A person who joins the organization is found only where all of it is read again.
    etag: all.length === 0 && typeof etag === 'string' && etag.length <= MAX_ERROR_LENGTH ? etag : null,
  }
}

const emailOf = (name: string): string => name.trim().toLowerCase()

const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : 'unknown error').slice(0, MAX_ERROR_LENGTH)
