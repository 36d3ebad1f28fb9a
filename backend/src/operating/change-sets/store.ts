import type { ActorType, ChangeSetState, ChangeSummary } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

interface Person {
  name: string | null
  email: string | null
}

const COLUMNS = [
  'id',
  'owner',
  'base',
  'created_at',
  'actor_kind',
  'actor_id',
  'expires_at',
  'applied_at',
  'applied_actor_kind',
  'applied_actor_id',
  'undoes',
  'undone_by',
  'summary',
  'says',
] as const

/** With the names of who made and who applied it. */
export type ChangeSetRow = Pick<TableRow<'change_set'>, (typeof COLUMNS)[number]> & {
  maker: Person | null
  applier: Person | null
}
export type StoredChangeSet = ChangeSetRow & { content_encrypted: Buffer }

/** What users call themselves, and what API keys are called. */
const personOf = (kind: RawBuilder<unknown>, id: RawBuilder<unknown>) => sql<Person | null>`case ${kind}
  when 'user' then (select json_build_object('name', name, 'email', email) from app_user where app_user.id = ${id})
  when 'api_key' then (select json_build_object('name', name, 'email', null) from api_key
    where api_key.organization = change_set.organization and api_key.id = ${id}) end`

const changeSetsOf = (db: Db, organization: number) =>
  db
    .selectFrom('change_set')
    .select(COLUMNS)
    .select([
      personOf(sql`actor_kind`, sql`actor_id`).as('maker'),
      personOf(sql`applied_actor_kind`, sql`applied_actor_id`).as('applier'),
    ])
    .where('organization', '=', organization)

export interface ChangeSetFilter {
  state: ChangeSetState | undefined
  owner: string | undefined
  /** Stored id of a resource. */
  resource: string | undefined
  from: Date | undefined
}

const isIn = (state: ChangeSetState, now: Date) =>
  ({
    applied: sql<boolean>`applied_at is not null and undone_by is null`,
    undone: sql<boolean>`undone_by is not null`,
    proposed: sql<boolean>`applied_at is null and expires_at > ${now}`,
    expired: sql<boolean>`applied_at is null and expires_at <= ${now}`,
  })[state]

/** One page, newest first, and the total. */
export function listChangeSets(
  db: Db,
  organization: number,
  { state, owner, resource, from }: ChangeSetFilter,
  now: Date,
  page: PageRequest,
): Promise<{ total: number; rows: ChangeSetRow[] }> {
  const query = changeSetsOf(db, organization)
    .$if(state !== undefined, (select) => select.where(isIn(state as ChangeSetState, now)))
    .$if(owner !== undefined, (select) => select.where('owner', '=', owner as string))
    .$if(resource !== undefined, (select) => select.where(sql<boolean>`resources @> array[${resource}::uuid]`))
    .$if(from !== undefined, (select) => select.where('created_at', '>=', from as Date))
  return readPage(db, query, sql`created_at desc, id desc`, page)
}

/** Undefined across organizations. */
export const findChangeSet = (db: Db, organization: number, id: string): Promise<StoredChangeSet | undefined> =>
  changeSetsOf(db, organization).select('content_encrypted').where('id', '=', id).executeTakeFirst()

/** One change of the configuration at a time: what a change set starts from stays as it is until it is applied. */
export async function lockConfiguration(db: Db, organization: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('change sets of ' || ${organization}::text, 0))`.execute(db)
}

export interface NewChangeSet {
  id: string
  owner: string | null
  base: string | null
  actorKind: ActorType
  actorId: string | null
  /** Of a proposal; without it the change set is applied. */
  expiresAt?: Date
  undoes?: string
  summary: ChangeSummary
  says: string[]
  resources: string[]
  content: Buffer
}

export async function insertChangeSet(db: Db, organization: number, set: NewChangeSet, at: Date): Promise<void> {
  const { id, owner, base, actorKind, actorId, expiresAt = null, undoes = null, summary, says, resources, content } = set
  const isApplied = expiresAt === null
  await db
    .insertInto('change_set')
    .values({
      organization,
      id,
      owner,
      base,
      created_at: at,
      actor_kind: actorKind,
      actor_id: actorId,
      expires_at: expiresAt,
      applied_at: isApplied ? at : null,
      applied_actor_kind: isApplied ? actorKind : null,
      applied_actor_id: isApplied ? actorId : null,
      undoes,
      summary: JSON.stringify(summary),
      says,
      resources,
      content_encrypted: content,
    })
    .execute()
}

/** A proposal is applied, by this actor. */
export async function markApplied(
  db: Db,
  organization: number,
  id: string,
  { resources, content, actorKind, actorId }: Pick<NewChangeSet, 'resources' | 'content' | 'actorKind' | 'actorId'>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('change_set')
    .set({
      applied_at: at,
      applied_actor_kind: actorKind,
      applied_actor_id: actorId,
      expires_at: null,
      resources,
      content_encrypted: content,
    })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

export async function markUndone(db: Db, organization: number, id: string, by: string): Promise<void> {
  await db
    .updateTable('change_set')
    .set({ undone_by: by })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

const HAS_STEPS = sql<boolean>`(select sum(value::int) from jsonb_each_text(summary - '{unchanged,moved}'::text[])) > 0`

/** Ends the oldest proposal of an owner; false where there is none. */
export async function expireOldest(db: Db, organization: number, owner: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update change_set set expires_at = ${now} where organization = ${organization} and id = (
      select id from change_set where organization = ${organization} and owner = ${owner} and ${isIn('proposed', now)}
        and ${HAS_STEPS}
      order by created_at, id limit 1)
    returning id`.execute(db)
  return rows.length > 0
}

/** Those that would change something. */
export async function countProposals(db: Db, organization: number, now: Date): Promise<number> {
  const row = await db
    .selectFrom('change_set')
    .select((eb) => eb.fn.countAll<string>().as('total'))
    .where('organization', '=', organization)
    .where(isIn('proposed', now))
    .where(HAS_STEPS)
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/** Who last changed each of these resources, and when. */
export async function findLastChanges(
  db: Db,
  organization: number,
  ids: readonly string[],
): Promise<Map<string, { at: Date; kind: ActorType; actorId: string | null; person: Person | null }>> {
  const { rows } = await sql<{ resource: string; at: Date; kind: ActorType; actorId: string | null; person: Person | null }>`
    select distinct on (resource) resource, applied_at as at, applied_actor_kind as kind, applied_actor_id as "actorId",
      ${personOf(sql`applied_actor_kind`, sql`applied_actor_id`)} as person
    from change_set, unnest(resources) as resource
    where organization = ${organization} and resources && ${ids}::uuid[] and resource = any(${ids}::uuid[]) and applied_at is not null
    order by resource, applied_at desc, id desc`.execute(db)
  return new Map(rows.map(({ resource, ...change }) => [resource, change]))
}

/** The newest change sets of an owner that changed one of these resources. */
export async function findLastOfOwner(
  db: Db,
  organization: number,
  owner: string,
  ids: readonly string[],
): Promise<{ id: string; content_encrypted: Buffer; resources: string[] }[]> {
  const { rows } = await sql<{ id: string; content_encrypted: Buffer; resources: string[] }>`
    select id, content_encrypted, resources from change_set
    where organization = ${organization} and applied_at is not null and id in (
      select distinct on (resource) id from change_set, unnest(resources) as resource
      where organization = ${organization} and owner = ${owner} and applied_at is not null and resource = any(${ids}::uuid[])
      order by resource, applied_at desc, id desc)
    order by applied_at desc, id desc`.execute(db)
  return rows
}

/** Of all organizations. */
export async function deleteBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('change_set').where('created_at', '<', before).execute()
}
