import { type Db, type TableRow } from '../../platform/db/index.ts'

const COLUMNS = ['id', 'name', 'time_zone', 'rota', 'on_duty', 'handover_at'] as const
export type DueSchedule = Pick<TableRow<'schedule'>, (typeof COLUMNS)[number]>

const dueSchedules = (db: Db, at: Date) =>
  db
    .selectFrom('schedule')
    .where('handover_mail', '=', true)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('handover_at', 'is', null), eb('handover_at', '<=', at)]))

export const listDue = (db: Db, at: Date): Promise<{ organization: number; id: string }[]> =>
  dueSchedules(db, at).select(['organization', 'id']).orderBy('handover_at').execute()

/** The schedule, locked, if it is still due and no other instance examines it. */
export const lockDue = (db: Db, organization: number, id: string, at: Date): Promise<DueSchedule | undefined> =>
  dueSchedules(db, at)
    .select(COLUMNS)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()

export async function putOnDuty(
  db: Db,
  organization: number,
  id: string,
  state: { on_duty: string[]; handover_at: Date },
): Promise<void> {
  await db
    .updateTable('schedule')
    .set(state)
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Those who are members, by user. */
export async function findPeople(
  db: Db,
  organization: number,
  userIds: readonly string[],
): Promise<Map<string, { email: string; name: string | null; isVerified: boolean }>> {
  if (userIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['app_user.id', 'app_user.email', 'app_user.name', 'app_user.email_verified_at'])
    .where('membership.organization', '=', organization)
    .where('app_user.id', 'in', userIds)
    .execute()
  return new Map(rows.map(({ id, email, name, email_verified_at: at }) => [id, { email, name, isVerified: at !== null }]))
}

export const findOrganization = (db: Db, organization: number) =>
  db.selectFrom('organization').select(['name', 'language']).where('number', '=', organization).executeTakeFirstOrThrow()
