import { sql } from 'kysely'
import { createResourceStore, type Db, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = [
  'id',
  'name',
  'time_zone',
  'rota',
  'handover_mail',
  'calendar_hash',
  'ical_url',
  'ical_state',
  'managed',
  'created_at',
  'updated_at',
] as const

export type ScheduleRow = Pick<TableRow<'schedule'>, (typeof COLUMNS)[number]>
/** Layers and overrides; times are ms since the epoch, users are stored ids. */
export type StoredRota = ScheduleRow['rota']
/** What a body defines. */
export type ScheduleColumns = Pick<ScheduleRow, 'name' | 'time_zone' | 'rota' | 'handover_mail'>

/** The calendar that a body names, and when it is read next. */
export type IcalColumns = Pick<TableRow<'schedule'>, 'ical_url' | 'ical_due_at'> & { ical_state: null }

export async function insertSchedule(
  db: Db,
  organization: number,
  schedule: ScheduleColumns & Partial<IcalColumns> & { id: string },
  at: Date,
): Promise<void> {
  await db
    .insertInto('schedule')
    .values({ ...schedule, organization, created_at: at, updated_at: at, handover_at: at })
    .execute()
}

const schedules = createResourceStore('schedule', COLUMNS)

/** The mails of a handover examine a schedule from its `handover_at` on. */
export const {
  find: findSchedule,
  lock: lockSchedule,
  update: updateSchedule,
  readAll: readSchedules,
  remove: deleteSchedule,
  list: listSchedules,
  deleted: deletedSchedules,
} = schedules

/** Those of these ids, in their order. */
export async function listSchedulesOf(db: Db, organization: number, ids: readonly string[]): Promise<ScheduleRow[]> {
  const rows = await schedules.rowsOf(db, organization).where('id', 'in', ids).execute()
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? [])
}

/** All who stand in a schedule. */
export const peopleOf = ({ rota }: Pick<ScheduleRow, 'rota'>): string[] => [
  ...new Set([
    ...rota.layers.flatMap((layer) => layer.user_ids.flat()),
    ...[...(rota.calendar ?? []), ...rota.overrides].map((one) => one.user_id),
  ]),
]

/** The schedule, in any organization, whose calendar has an address with this secret. */
export const findScheduleByCalendar = (db: Db, hash: Buffer): Promise<(ScheduleRow & { organization: number }) | undefined> =>
  db
    .selectFrom('schedule')
    .select([...COLUMNS, 'organization'])
    .where('calendar_hash', '=', hash)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** A member as people are shown them. */
export interface MemberPerson {
  email: string
  name: string | null
}

/** Those of the users who are members of the organization, by user. */
export async function findMembers(db: Db, organization: number, userIds: readonly string[]): Promise<Map<string, MemberPerson>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['membership.user_id', 'app_user.email', 'app_user.name'])
    .where('membership.organization', '=', organization)
    .where('membership.user_id', '=', sql<string>`any(${userIds}::uuid[])`)
    .execute()
  return new Map(rows.map(({ user_id: userId, ...person }) => [userId, person]))
}
