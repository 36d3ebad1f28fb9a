import type { QuietTime } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'

/** The quiet time of those whose contact methods and browsers these are. */
export async function listQuietTimes(
  db: Db,
  organization: number,
  lanes: readonly string[],
): Promise<{ lane: string; quiet_time: QuietTime }[]> {
  const { rows } = await sql<{ lane: string; quiet_time: QuietTime }>`
    select channel.id as lane, quiet_time from channel
    join membership on membership.organization = channel.organization and membership.user_id = channel.user_id
    where channel.organization = ${organization} and channel.id = any(${lanes}::uuid[]) and quiet_time is not null
    union all
    select push_subscription.id, quiet_time from push_subscription
    join membership on membership.organization = ${organization} and membership.user_id = push_subscription.user_id
    where push_subscription.id = any(${lanes}::uuid[]) and quiet_time is not null`.execute(db)
  return rows
}
