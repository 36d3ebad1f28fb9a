import { DAY_MS, type ScheduleCalendar, SECRET_PREFIX } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { createSecretToken, hashSecret, isSecretToken, personText, type Principal, tenantOf } from '../../access/auth/index.ts'
import { calendarInstant, calendarText, renderCalendarText } from '../../platform/icalendar.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Shift } from './rota.ts'
import { readShifts, type ScheduleDeps } from './service.ts'
import * as store from './store.ts'

/** Days before and after today; together they are at most those of one answer of shifts. */
const [PAST_DAYS, COMING_DAYS] = [31, 61]

/** Gives the calendar a new address; the old one is unknown at once. Throws not_found across organizations. */
export async function replaceCalendar(
  deps: ScheduleDeps & { publicUrl: () => string },
  actor: Actor<Principal>,
  id: string,
): Promise<ScheduleCalendar> {
  const { secret, hash } = createSecretToken('calendarToken')
  await changeCalendar(deps, actor, id, hash)
  return { schedule_id: encodeId('schedule', id), calendar_url: `${deps.publicUrl()}/calendars/${secret}` }
}

/** Ends the address of the calendar, if there is one. Throws not_found across organizations. */
export const removeCalendar = (deps: ScheduleDeps, actor: Actor<Principal>, id: string): Promise<void> =>
  changeCalendar(deps, actor, id, null)

async function changeCalendar(
  { db: outer, clock }: ScheduleDeps,
  actor: Actor<Principal>,
  id: string,
  hash: Buffer | null,
): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(outer, async (db) => {
    const row = await store.lockSchedule(db, tenant.number, id)
    if (!row) throw notFound()
    if (!hash && !row.calendar_hash) return
    const at = new Date(clock.now())
    await store.updateSchedule(db, tenant.number, id, { calendar_hash: hash }, at)
    const action = hash ? 'schedule.calendar_created' : 'schedule.calendar_deleted'
    await recordAudit(db, tenant.number, actor, auditEntry(action, 'schedule', id, { name: row.name }), at)
  })
}

/** The shifts of whole days around now as iCalendar; undefined where the secret is none of an address. */
export async function readCalendar({ db, clock }: { db: Db; clock: ScheduleDeps['clock'] }, secret: string) {
  if (!secret.startsWith(SECRET_PREFIX.calendarToken) || !isSecretToken(secret)) return
  const row = await store.findScheduleByCalendar(db, hashSecret(secret))
  if (!row) return
  const todayMs = Math.floor(clock.now() / DAY_MS) * DAY_MS
  const range = { fromMs: todayMs - PAST_DAYS * DAY_MS, toMs: todayMs + COMING_DAYS * DAY_MS }
  const { shifts, members } = await readShifts(db, row.organization, row, range)
  const events = shifts.flatMap((shift) => {
    const person = members.get(shift.userId)
    return eventOf(row, shift, person ? personText(person) : '')
  })
  return renderCalendarText({ product: 'On-call schedule', name: row.name, events })
}

function eventOf({ id, name, updated_at: updatedAt }: store.ScheduleRow, shift: Shift, person: string): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${encodeId('schedule', id)}-${encodeId('user', shift.userId)}-${calendarInstant(shift.fromMs)}`,
    `DTSTAMP:${calendarInstant(updatedAt.getTime())}`,
    `DTSTART:${calendarInstant(shift.fromMs)}`,
    `DTEND:${calendarInstant(shift.toMs)}`,
    `SUMMARY:${calendarText(`${person} (${name})`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}
