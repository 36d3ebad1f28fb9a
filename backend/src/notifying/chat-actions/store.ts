import { sql } from 'kysely'
import type { ChatService } from '@vedette/shared'
import { IS_REFUSED, personName } from '../../access/auth/index.ts'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

/** The person of a chat, as its service names them. */
export interface ChatUser {
  service: ChatService
  /** SHA-256 of what the chat signs with: another one may name people as it likes. */
  credential: Buffer
  /** Never of two people. */
  id: string
  name: string
}

/** The member whose account this person of a chat is; undefined without one, or where the organization refuses the member. */
export async function findMember(
  db: Db,
  organization: number,
  { service, credential, id }: ChatUser,
): Promise<{ userId: string; name: string } | undefined> {
  const { rows } = await sql<{ userId: string; name: string }>`
    select membership.user_id as "userId", ${personName('app_user')} as name from chat_account
    join membership on membership.organization = chat_account.organization and membership.user_id = chat_account.user_id
    join organization on organization.number = membership.organization
    join app_user on app_user.id = membership.user_id
    where chat_account.organization = ${organization} and service = ${service} and credential = ${credential}
      and chat_user = ${id}
      and not ${sql.raw(IS_REFUSED)}`.execute(db)
  return rows[0]
}

export async function isConnected(db: Db, organization: number, { service, credential, id }: ChatUser): Promise<boolean> {
  const row = await accountsOf(db, organization)
    .select('id')
    .where('service', '=', service)
    .where('credential', '=', credential)
    .where('chat_user', '=', id)
    .where('user_id', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

const accountsOf = (db: Db, organization: number) => db.selectFrom('chat_account').where('organization', '=', organization)

/** That an incident was acknowledged or resolved; `until`: when it opens again, if it is not resolved by then. */
export interface Step {
  type: 'acknowledged' | 'resolved'
  at: Date
  /** Undefined: no member did, for example an API key. */
  userId: string | undefined
  /** Of the member, with the e-mail. */
  name: string | undefined
  until: Date | undefined
}

/** By which steps an incident has its status, the oldest first; none while it is open. */
export async function listSteps(db: Db, organization: number, incidentId: string): Promise<Step[]> {
  type Row = { type: Step['type']; at: Date; user_id: string | null; name: string | null; until: Date | null }
  const { rows } = await sql<Row>`
    select event.type, event.at, event.actor_id as user_id, ${personName('app_user')} as name, o.escalation_due_at as until
    from incident
    join incident_event as event
      on event.organization = incident.organization and event.incident_id = incident.id and event.type = incident.status
    left join app_user on app_user.id = event.actor_id
    left join open_incident as o on o.organization = incident.organization and o.incident_id = incident.id and not o.is_muted
    where incident.organization = ${organization} and incident.id = ${incidentId}
      and (incident.acknowledged_at is null or event.at >= incident.acknowledged_at)
    order by event.at, event.id`.execute(db)
  return rows.map(({ type, at, user_id: userId, name, until }) => ({
    type,
    at,
    userId: userId ?? undefined,
    name: name ?? undefined,
    until: until ?? undefined,
  }))
}

/** Keeps a code for a person who is not connected, in place of an earlier one. */
export async function putCode(
  db: Db,
  organization: number,
  user: ChatUser,
  code: { id: string; hash: Buffer; expiresAt: Date; at: Date },
): Promise<void> {
  await sql`
    insert into chat_account (organization, service, credential, chat_user, id, name, code_hash, code_expires_at, created_at)
    values (
      ${organization}, ${user.service}, ${user.credential}, ${user.id}, ${code.id}, ${user.name}, ${code.hash}, ${code.expiresAt}, ${code.at}
    )
    on conflict (organization, service, credential, chat_user) do update
    set name = excluded.name, code_hash = excluded.code_hash, code_expires_at = excluded.code_expires_at
    where chat_account.user_id is null`.execute(db)
}

export type AccountRow = TableRow<'chat_account'>

/** Connects the person of a code to a member; undefined where the code is unknown, used or too old. */
export function takeCode(db: Db, organization: number, hash: Buffer, userId: string, at: Date): Promise<AccountRow | undefined> {
  return db
    .updateTable('chat_account')
    .set({ user_id: userId, code_hash: null, code_expires_at: null, created_at: at })
    .where('organization', '=', organization)
    .where('code_hash', '=', hash)
    .where('code_expires_at', '>', at)
    .where('user_id', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** One page of a member's chat accounts, newest first, and the total. */
export function listAccounts(
  db: Db,
  organization: number,
  userId: string,
  page: PageRequest,
): Promise<{ total: number; rows: AccountRow[] }> {
  return readPage(db, accountsOf(db, organization).selectAll().where('user_id', '=', userId), sql`created_at desc, id desc`, page)
}

export function deleteAccount(db: Db, organization: number, userId: string, id: string): Promise<AccountRow | undefined> {
  return db
    .deleteFrom('chat_account')
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** The organization and the settings of an enabled channel of this type, in any organization. */
export function findChannel(db: Db, id: string, type: ChatService) {
  return db
    .selectFrom('channel')
    .innerJoin('organization', 'organization.number', 'channel.organization')
    .select([
      'channel.id',
      'channel.config',
      'channel.secrets_encrypted',
      'organization.number',
      'organization.id as organization_id',
    ])
    .where('channel.id', '=', id)
    .where('type', '=', type)
    .where('user_id', 'is', null)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Deletes people whose codes have expired. */
export async function deleteExpiredCodes(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom('chat_account').where('user_id', 'is', null).where('code_expires_at', '<=', new Date(nowMs)).execute()
}
