import { sql } from 'kysely'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { CompletedCheck } from './completed-check.ts'

/** How long a response is kept. */
export const RESPONSE_KEPT_MS = 7 * 86_400_000
/** Of a monitor in a region: 3 MB at most. A target that fails for a week is as well known by its newest responses. */
const MAX_KEPT = 50

/** Whose response it is: moved to another check it does not open. */
const contextOf = (organization: number, monitor: number, atMs: number): string => `response ${organization} ${monitor} ${atMs}`

/** Stores, encrypted, what these checks keep of responses beyond the excerpt; without any there is no statement. May be repeated. */
export async function storeResponses(db: Db, encrypter: Encrypter, checks: readonly CompletedCheck[]): Promise<void> {
  const rows = checks.flatMap(({ organization, monitor, region, result: { answer, checked_at: at } }) =>
    answer?.whole === undefined ? [] : [{ organization, monitor, region, at: Date.parse(at), text: answer.whole }],
  )
  if (rows.length === 0) return
  const column = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick)
  const bodies = column(({ organization, monitor, at, text }) =>
    encrypter.encrypt(Buffer.from(text), contextOf(organization, monitor, at)),
  )
  await sql`
    insert into check_response (organization, monitor, region, at, body_encrypted)
    select * from unnest(${column(({ organization }) => organization)}::int[], ${column(({ monitor }) => monitor)}::int[],
      ${column(({ region }) => region)}::smallint[], ${column(({ at }) => at)}::bigint[], ${bodies}::bytea[])
    on conflict do nothing`.execute(db)
  await sql`
    delete from check_response as r using (
      select distinct * from unnest(${column(({ organization }) => organization)}::int[], ${column(({ monitor }) => monitor)}::int[],
        ${column(({ region }) => region)}::smallint[]) as given (organization, monitor, region)
    ) as g
    where r.organization = g.organization and r.monitor = g.monitor and r.region = g.region and r.at < (
      select at from check_response as newer
      where newer.organization = g.organization and newer.monitor = g.monitor and newer.region = g.region
      order by at desc offset ${MAX_KEPT - 1} limit 1
    )`.execute(db)
}

/** The responses of these checks of a monitor by `region at`; those that are older, or that no secret opens, are absent. */
export async function readResponses(
  db: Db,
  encrypter: Encrypter,
  { organization, monitor }: { organization: number; monitor: number },
  checks: readonly { region: string; at: number }[],
  nowMs: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ region: string; at: number; body_encrypted: Buffer }>`
    select region.id as region, r.at, r.body_encrypted
    from unnest(${checks.map(({ region }) => region)}::text[], ${checks.map(({ at }) => at)}::bigint[]) as given (region, at)
    join region on region.id = given.region
    join check_response as r on r.organization = ${organization} and r.monitor = ${monitor} and r.region = region.number
      and r.at = given.at
    where r.at > ${nowMs - RESPONSE_KEPT_MS}`.execute(db)
  return new Map(
    rows.flatMap(({ region, at, body_encrypted: body }) => {
      const text = encrypter.decrypt(body, contextOf(organization, monitor, at))
      return text ? [[`${region} ${at}`, text.toString()]] : []
    }),
  )
}

export async function deleteOldResponses(db: Db, nowMs: number): Promise<void> {
  await sql`delete from check_response where at <= ${nowMs - RESPONSE_KEPT_MS}`.execute(db)
}
