import { sql } from 'kysely'
import { binaryArray, type Db } from '../../platform/db/index.ts'
import type { StoredDay } from './day.ts'
import { given, organizationsOf, serversOf } from './given-store.ts'
import { dateOfDay, type ServerKey } from './keys.ts'

/** Puts the day of these servers in place of what stands there. */
export async function replaceDays(
  db: Db,
  day: number,
  days: readonly (ServerKey & { groups: readonly StoredDay[] })[],
): Promise<void> {
  if (days.length === 0) return
  await sql`
    delete from metric_day using ${given(days)}
    where metric_day.organization = given.organization and metric_day.server = given.server
      and day = ${dateOfDay(day)}::date`.execute(db)
  const rows = days.flatMap(({ organization, server, groups }) => groups.map((group) => ({ organization, server, ...group })))
  if (rows.length === 0) return
  await sql`
    insert into metric_day (organization, server, day, metric_group, header, data)
    select organization, server, ${dateOfDay(day)}::date, number, header, data from unnest(
      ${organizationsOf(rows)}::int4[], ${serversOf(rows)}::int4[], ${binaryArray.int2(rows.map(({ number }) => number))}::int2[],
      ${binaryArray.bytea(rows.map(({ header }) => header))}::bytea[], ${binaryArray.bytea(rows.map(({ data }) => data))}::bytea[]
    ) as given (organization, server, number, header, data)`.execute(db)
}
