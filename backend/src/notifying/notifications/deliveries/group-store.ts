import type { IncidentItem } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { GroupContent } from './deliver.ts'
import type { Delivery } from './store.ts'

/** When deliveries are due that are sent with another one: never by themselves. */
const WITH_ANOTHER = new Date('9999-12-31T00:00:00.000Z')

/** Until when deliveries of a type wait for this channel; locked until the transaction ends. */
export async function lockGroup(db: Db, { organization, lane, payload }: Delivery): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    insert into notification_group (organization, channel_id, type, until)
    values (${organization}, ${lane}::uuid, ${payload.group_type}, 'epoch')
    on conflict (organization, channel_id, type) do update set until = notification_group.until
    returning until`.execute(db)
  return rows[0]?.until as Date
}

/** Has further deliveries of the type wait until then. */
export async function extendGroup(db: Db, { organization, lane, payload }: Delivery, until: Date): Promise<void> {
  await sql`
    update notification_group set until = ${until}
    where organization = ${organization} and channel_id = ${lane}::uuid and type = ${payload.group_type}`.execute(db)
}

/** The group of a delivery as it is now, locked; undefined where the delivery is done. */
export async function lockMembership(db: Db, { organization, id }: Delivery): Promise<{ group_id: string | null } | undefined> {
  const { rows } = await sql<{ group_id: string | null }>`
    select payload ->> 'group_id' as group_id from notification_delivery
    where organization = ${organization} and id = ${id} for update`.execute(db)
  return rows[0]
}

/** Has all deliveries of the type to the channel that are sent with no other yet wait until then: thousands in one statement. */
export async function postponeGroup(db: Db, { organization, lane, payload }: Delivery, until: Date): Promise<void> {
  await sql`
    update notification_delivery set next_attempt_at = ${until}
    where organization = ${organization} and lane = ${lane} and next_attempt_at < ${until}
      and payload ->> 'group_type' = ${payload.group_type} and payload ->> 'group_id' is null`.execute(db)
}

/**
 * Sends all deliveries of the type that wait for the channel with this one, except those that wait for an earlier step of their
 * incident, or for the end of a quiet time. From then on the group does not change.
 */
export async function formGroup(db: Db, { organization, lane, id, payload }: Delivery, at: Date): Promise<void> {
  await sql`
    update notification_delivery as job
    set payload = payload || jsonb_build_object('group_id', ${id}::text),
      next_attempt_at = case when id = ${id} then next_attempt_at else ${WITH_ANOTHER}::timestamptz end
    where organization = ${organization} and lane = ${lane} and payload ->> 'group_type' = ${payload.group_type}
      -- Those that are leased or wait for the others are due in seconds.
      and payload ->> 'group_id' is null and next_attempt_at < ${at}::timestamptz + interval '2 minutes'
      and not exists (
        select from notification_delivery as earlier
        where earlier.organization = job.organization and earlier.key = job.key and earlier.position < job.position
      )`.execute(db)
}

const membersOf = ({ organization, lane, id }: Delivery) => sql`
  notification_delivery as d
  where d.organization = ${organization} and d.lane = ${lane} and d.next_attempt_at = ${WITH_ANOTHER}
    and d.payload ->> 'group_id' = ${id}`

/** The incidents of the other deliveries of a group, in their order and at most `limit`, and how many they are. */
export async function readMembers(db: Db, delivery: Delivery, limit: number): Promise<GroupContent> {
  const { rows } = await sql<{ total: number; incident: IncidentItem | null }>`
    with member as materialized (select d.position, d.payload from ${membersOf(delivery)})
    select (select count(*)::int from member) as total, e.data -> 'incident' as incident
    from (select * from member order by position limit ${limit}) as first
    left join live_event as e on e.organization = ${delivery.organization} and e.id = (first.payload ->> 'event_id')::uuid
      and e.at = (first.payload ->> 'event_at')::timestamptz
    order by first.position`.execute(db)
  return { total: rows[0]?.total ?? 0, incidents: rows.flatMap(({ incident }) => incident ?? []) }
}

/** Deletes the other deliveries of a group; returns how many. Run it in the transaction that deletes the delivery itself. */
export async function deleteMembers(db: Db, delivery: Delivery): Promise<number> {
  const { numAffectedRows } = await sql`delete from ${membersOf(delivery)}`.execute(db)
  return Number(numAffectedRows)
}
