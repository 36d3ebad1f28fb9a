import { isDeepStrictEqual } from 'node:util'
import {
  type CreateScheduleBody,
  DAY_MS,
  MASK,
  MAX_SHIFT_DAYS,
  MAX_SHIFTS_AHEAD_YEARS,
  type OnCall,
  type PatchScheduleBody,
  type Schedule,
  type ScheduleList,
  type ScheduleShifts,
  type ShiftList,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { announceChange, type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { type OwnFaults, requireNoFaults } from '../../platform/http/index.ts'
import { restoreDeleted } from '../../operating/deletions/index.ts'
import { takeOutSchedule } from '../../operating/references/index.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { instantAt, zoneFaults } from '../../platform/time/instant.ts'
import { decryptUrl, encryptUrl, urlFaults } from './ical/secret.ts'
import { peopleIn, readRota, requireMembers, rotaFaults } from './read-rota.ts'
import { gapsIn, shiftsIn } from './rota.ts'
import type { Span } from '../../platform/time/spans.ts'
import * as store from './store.ts'
import { toOnCall, toSchedule, toShift } from './wire.ts'

export interface ScheduleDeps {
  db: Db
  clock: Clock
}

export interface ScheduleChangeDeps extends ScheduleDeps {
  /** Of the addresses of calendars. */
  encrypter: Encrypter
}

/** One page of the organization's schedules, newest first. */
export async function listSchedules(
  { db }: Pick<ScheduleDeps, 'db'>,
  tenant: Tenant,
  request: PageRequest,
): Promise<ScheduleList> {
  const { total, rows } = await store.listSchedules(db, tenant.number, request)
  return { schedules: rows.map(toSchedule), total, page: request.page, limit: request.limit }
}

async function findSchedule(db: Db, tenant: Tenant, id: string): Promise<store.ScheduleRow> {
  const row = await store.findSchedule(db, tenant.number, id)
  if (!row) throw notFound()
  return row
}

/** Throws not_found across organizations. */
export const getSchedule = async ({ db }: Pick<ScheduleDeps, 'db'>, tenant: Tenant, id: string): Promise<Schedule> =>
  toSchedule(await findSchedule(db, tenant, id))

/** Throws validation_error. */
export async function createSchedule(
  deps: ScheduleChangeDeps,
  actor: Actor<Principal>,
  body: CreateScheduleBody,
): Promise<Schedule> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownScheduleFaults, body)
  return inTransaction(deps.db, async (db) => {
    const schedule = await columnsOf({ ...deps, db }, tenant, NEW, body)
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'schedule')
    const ical = icalOf(deps, id, null, body, at)
    await store.insertSchedule(db, tenant.number, { ...schedule, ...ical, id }, at)
    if (ical) await announceChange(db, 'schedule')
    await recordAudit(db, tenant.number, actor, auditEntry('schedule.created', 'schedule', id, { name: body.name }), at)
    return getSchedule({ db }, tenant, id)
  })
}

/** Changes what the body names, and validates the result. Throws not_found across organizations, validation_error. */
export async function patchSchedule(
  deps: ScheduleChangeDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchScheduleBody,
): Promise<Schedule> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await store.lockSchedule(db, tenant.number, id)
    if (!row) throw notFound()
    const after = await columnsOf({ ...deps, db }, tenant, row, body)
    const changed = [
      ...(['name', 'time_zone', 'handover_mail'] as const).filter((name) => row[name] !== after[name]),
      ...(['layers', 'overrides'] as const).filter((name) => !isDeepStrictEqual(row.rota[name], after.rota[name])),
    ]
    const at = new Date(deps.clock.now())
    const ical = icalOf(deps, id, row.ical_url, body, at)
    if (changed.length === 0 && !ical) return toSchedule(row)
    const rota = ical?.ical_url === null ? withoutCalendar(after.rota) : after.rota
    await store.updateSchedule(db, tenant.number, id, { ...after, rota, ...ical, handover_at: at }, at)
    if (ical) await announceChange(db, 'schedule')
    const details = { name: after.name, changed: [...changed, ...(ical ? ['ical_url'] : [])].toSorted() }
    await recordAudit(db, tenant.number, actor, auditEntry('schedule.updated', 'schedule', id, details), at)
    return getSchedule({ db }, tenant, id)
  })
}

const withoutCalendar = ({ calendar: _calendar, ...rota }: store.StoredRota): store.StoredRota => rota

/** What a body changes of the calendar that a schedule follows; undefined: nothing. Throws validation_error. */
function icalOf(
  { encrypter }: Pick<ScheduleChangeDeps, 'encrypter'>,
  id: string,
  stored: Buffer | null,
  { ical_url: url }: PatchScheduleBody,
  at: Date,
): store.IcalColumns | undefined {
  const faults = urlFaults(url, stored !== null)
  if (faults.length > 0) throw invalid(...faults)
  const before = stored && decryptUrl(encrypter, id, stored)
  if (url === undefined || url === MASK || url === before) return undefined
  if (url === null) return { ical_url: null, ical_due_at: null, ical_state: null }
  return { ical_url: encryptUrl(encrypter, id, url), ical_due_at: at, ical_state: null }
}

/** Throws not_found across organizations. */
export async function deleteSchedule(deps: ScheduleDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockSchedule(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await store.deleteSchedule(db, tenant.number, id, at, await takeOutSchedule(db, tenant.number, id))
    await recordAudit(db, tenant.number, actor, auditEntry('schedule.deleted', 'schedule', id, { name: row.name }), at)
  })
}

/** Brings a deleted schedule back. Throws not_found across organizations, conflict over the bound. */
export async function restoreSchedule(deps: ScheduleDeps, actor: Actor<Principal>, id: string): Promise<Schedule> {
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedSchedules)
    return getSchedule({ db }, tenantOf(actor.principal), id)
  })
}

/** Who is on duty at an instant, now by default. Throws not_found across organizations, validation_error. */
export async function getOnCall({ db, clock }: ScheduleDeps, tenant: Tenant, id: string, at?: string): Promise<OnCall> {
  const row = await findSchedule(db, tenant, id)
  const atMs = at === undefined ? clock.now() : instantAhead('at', at, clock.now())
  const { shifts, members } = await readShifts(db, tenant.number, row, { fromMs: atMs, toMs: atMs + MAX_SHIFT_DAYS * DAY_MS })
  return toOnCall(atMs, shifts, members)
}

const DEFAULT_SHIFT_DAYS = 28

/** Throws validation_error for an instant too far ahead: its handovers are counted from the start of each layer. */
export function instantAhead(path: string, text: string, nowMs: number): number {
  const ms = instantAt(path, text).getTime()
  if (ms > nowMs + MAX_SHIFTS_AHEAD_YEARS * 365.25 * DAY_MS)
    throw invalid({ path, message: `must be at most ${MAX_SHIFTS_AHEAD_YEARS} years from now` })
  return ms
}

interface RangeQuery {
  from?: string | undefined
  to?: string | undefined
}

/** Throws validation_error. */
function rangeOf({ clock }: ScheduleDeps, { from, to }: RangeQuery): Span {
  const fromMs = from === undefined ? clock.now() : instantAhead('from', from, clock.now())
  const toMs = to === undefined ? fromMs + DEFAULT_SHIFT_DAYS * DAY_MS : instantAt('to', to).getTime()
  if (toMs <= fromMs) throw invalid({ path: 'to', message: 'must be after from' })
  if (toMs - fromMs > MAX_SHIFT_DAYS * DAY_MS)
    throw invalid({ path: 'to', message: `must be at most ${MAX_SHIFT_DAYS} days after from` })
  return { fromMs, toMs }
}

const shownSpan = ({ fromMs, toMs }: Span) => ({ from: toTimestamp(fromMs), to: toTimestamp(toMs) })

type Members = ReadonlyMap<string, store.MemberPerson>

const shiftsOf = (row: store.ScheduleRow, members: Members, range: Span) => shiftsIn(row, range, (userId) => members.has(userId))

const shownShifts = (shifts: ReturnType<typeof shiftsOf>, members: Members, range: Span) => ({
  shifts: shifts.map((shift) => toShift(shift, members)),
  gaps: gapsIn(shifts, range).map(shownSpan),
})

/** The shifts of a range. Throws not_found across organizations, validation_error. */
export async function listShifts(deps: ScheduleDeps, tenant: Tenant, id: string, query: RangeQuery): Promise<ScheduleShifts> {
  const row = await findSchedule(deps.db, tenant, id)
  const range = rangeOf(deps, query)
  const { shifts, members } = await readShifts(deps.db, tenant.number, row, range)
  return { ...shownSpan(range), ...shownShifts(shifts, members, range) }
}

/** The same of a page of schedules, with three statements however many they are. Throws validation_error. */
export async function listShiftsOfAll(
  deps: ScheduleDeps,
  tenant: Tenant,
  { from, to, ...request }: PageRequest & RangeQuery,
): Promise<ShiftList> {
  const range = rangeOf(deps, { from, to })
  const { total, rows } = await store.listSchedules(deps.db, tenant.number, request)
  const members = await store.findMembers(deps.db, tenant.number, [...new Set(rows.flatMap(store.peopleOf))])
  const schedules: ShiftList['schedules'] = []
  for (const row of rows) {
    // Layers of three months may be thousands of shifts each.
    await yieldToEventLoop()
    schedules.push({ schedule_id: encodeId('schedule', row.id), ...shownShifts(shiftsOf(row, members, range), members, range) })
  }
  return { ...shownSpan(range), schedules, total, page: request.page, limit: request.limit }
}

/** The shifts of a range, and the people by their stored ids. */
export async function readShifts(db: Db, organization: number, row: store.ScheduleRow, range: Span) {
  const members = await store.findMembers(db, organization, store.peopleOf(row))
  return { shifts: shiftsOf(row, members, range), members }
}

/** The schedule with what a body names. Throws validation_error. */
export const changedSchedule = (
  deps: ScheduleDeps,
  tenant: Tenant,
  before: Partial<store.ScheduleColumns> | undefined,
  body: PatchScheduleBody,
): Promise<store.ScheduleColumns> => columnsOf(deps, tenant, { ...NEW, ...before }, body)

const NEW: store.ScheduleColumns = { name: '', time_zone: 'UTC', rota: { layers: [], overrides: [] }, handover_mail: true }

/** Of a new schedule. */
export const ownScheduleFaults: OwnFaults = (body, isRefused) => {
  const { time_zone: timeZone = 'UTC', ...rota } = body as Partial<CreateScheduleBody>
  const zone = zoneFaults(timeZone)
  return [
    ...zone,
    ...urlFaults(rota.ical_url, false),
    ...rotaFaults(rota, zone.length > 0 || isRefused('time_zone') ? undefined : timeZone),
  ]
}

/** The columns with what the body names. People who were stored may have left; those whom it names are members. */
async function columnsOf(
  { db, clock }: ScheduleDeps,
  tenant: Tenant,
  before: store.ScheduleColumns,
  body: PatchScheduleBody,
): Promise<store.ScheduleColumns> {
  const { name = before.name, time_zone: timeZone = before.time_zone, handover_mail = before.handover_mail } = body
  const zone = zoneFaults(timeZone)
  if (zone.length > 0) throw invalid(...zone)
  const people = peopleIn(body)
  const userIds = people.flatMap(({ userId }) => userId ?? [])
  const members = await store.findMembers(db, tenant.number, userIds)
  requireMembers(people, (userId) => members.has(userId))
  return { name, time_zone: timeZone, handover_mail, rota: readRota(body, before.rota, timeZone, clock.now()) }
}
