import { hash } from 'node:crypto'
import { DAY_MS } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { type ApiError, rateLimited } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'

/** Mails in 24 hours to addresses that nobody has confirmed: to one address from all organizations, and from one organization. */
export const PER_ADDRESS = 3
const PER_ORGANIZATION = 100
/** With a number of the organization, or of the address, it names the lock under which mails are counted. */
const [ORGANIZATION_LOCK, ADDRESS_LOCK] = [730_532, 730_533]

type Refusal = { outcome: 'refused'; per: 'address' | 'organization'; max: number; untilMs: number }
export type UnconfirmedMail = { outcome: 'confirmed' | 'taken' } | Refusal

/**
 * Takes one mail from the budget of an address that nobody has confirmed. Confirmed are members with a verified e-mail, and who
 * confirmed a subscription or the address of a channel, each for their own organization. Run it in the transaction that stores the
 * mail: locks make the count exact over all instances.
 */
export async function takeUnconfirmedMail(db: Db, organization: number, to: string, at: Date): Promise<UnconfirmedMail> {
  const address = to.toLowerCase()
  if (await isConfirmed(db, organization, address)) return { outcome: 'confirmed' }
  const addressHash = hash('sha256', address, 'buffer')
  await sql`select pg_advisory_xact_lock(${ORGANIZATION_LOCK}, ${organization})`.execute(db)
  await sql`select pg_advisory_xact_lock(${ADDRESS_LOCK}, ${addressHash.readInt32BE()})`.execute(db)
  const since = new Date(at.getTime() - DAY_MS)
  const ofAddress = await timesSince(db, sql`address_hash = ${addressHash}`, since, PER_ADDRESS)
  if (ofAddress.length >= PER_ADDRESS) return refusal('address', PER_ADDRESS, ofAddress)
  const ofOrganization = await timesSince(db, sql`organization = ${organization}`, since, PER_ORGANIZATION)
  if (ofOrganization.length >= PER_ORGANIZATION) return refusal('organization', PER_ORGANIZATION, ofOrganization)
  await db.insertInto('unconfirmed_mail').values({ id: newId(), organization, address_hash: addressHash, sent_at: at }).execute()
  return { outcome: 'taken' }
}

export const toRateLimited = ({ per, max, untilMs }: Refusal, nowMs: number): ApiError =>
  rateLimited(`At most ${max} mails a day per ${per} are sent to addresses that nobody has confirmed.`, { max, nowMs, untilMs })

/** Deletes what no budget counts any more. */
export async function deleteUnconfirmedMails(db: Db, nowMs: number): Promise<void> {
  await db
    .deleteFrom('unconfirmed_mail')
    .where('sent_at', '<=', new Date(nowMs - DAY_MS))
    .execute()
}

/** `times`: the newest `max`, newest first. The oldest of them must leave the window. */
const refusal = (per: Refusal['per'], max: number, times: readonly number[]): Refusal => ({
  outcome: 'refused',
  per,
  max,
  untilMs: (times.at(-1) ?? 0) + DAY_MS,
})

async function timesSince(db: Db, condition: ReturnType<typeof sql>, since: Date, max: number): Promise<number[]> {
  const { rows } = await sql<{ sent_at: Date }>`
    select sent_at from unconfirmed_mail where ${condition} and sent_at > ${since} order by sent_at desc limit ${max}`.execute(db)
  return rows.map(({ sent_at: sentAt }) => sentAt.getTime())
}

async function isConfirmed(db: Db, organization: number, address: string): Promise<boolean> {
  const known = isConfirmedAddress(sql`${organization}::integer`, sql`${address}::text`)
  const { rows } = await sql<{ known: boolean }>`select ${known} as known`.execute(db)
  return rows[0]?.known === true
}

/** Whether somebody has confirmed an address, which is in lower case, for an organization. */
export const isConfirmedAddress = (
  organization: RawBuilder<unknown>,
  address: RawBuilder<unknown>,
): RawBuilder<boolean> => sql<boolean>`(
  exists (
    select from membership as m join app_user as u on u.id = m.user_id
    where m.organization = ${organization} and u.email = ${address} and u.email_verified_at is not null
  ) or exists (
    select from status_subscriber as s join status_page as p on p.organization = s.organization and p.id = s.page_id
    where s.organization = ${organization} and s.email = ${address} and s.confirmed_at is not null and p.deleted_at is null
  ) or exists (
    select from channel as c where c.organization = ${organization} and c.confirmed_to = ${address} and c.deleted_at is null
  )
)`
