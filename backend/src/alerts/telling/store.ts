import { sql } from 'kysely'
import { type Db, once } from '../../platform/db/index.ts'

/** One telling, leased. */
export interface QueuedTelling {
  id: string
  organization: number
  channel_id: string
  event_id: string
  event_at: Date
  incident_id: string | null
  incident_at: Date | null
  created_at: Date
  /** Tries that failed. */
  tries: number
}

const COLUMNS = [
  'id',
  'organization',
  'channel_id',
  'event_id',
  'event_at',
  'incident_id',
  'incident_at',
  'created_at',
  'tries',
] as const

export interface NewTelling {
  id: string
  channel_id: string
}

/**
 * Stores tellings of an event. One of an incident of which the same channel still has an earlier one waits for that: whoever
 * takes that away waits here until the transaction ends.
 */
export async function insertTellings(
  db: Db,
  organization: number,
  tellings: readonly NewTelling[],
  about: Pick<QueuedTelling, 'event_id' | 'event_at' | 'incident_id' | 'incident_at'>,
  at: Date,
): Promise<void> {
  if (tellings.length === 0) return
  const waitsFor = about.incident_id === null ? new Set() : await holdTellings(db, organization, about.incident_id)
  const rows = tellings.map(({ id, channel_id }) => ({
    ...about,
    id,
    channel_id,
    organization,
    created_at: at,
    next_try_at: waitsFor.has(channel_id) ? null : at,
    tries: 0,
  }))
  await db.insertInto('telling').values(rows).execute()
}

/** The channels that still have a telling of an incident, none of which is taken away before the transaction ends. */
export async function holdTellings(db: Db, organization: number, incidentId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('telling')
    .select('channel_id')
    .where('organization', '=', organization)
    .where('incident_id', '=', incidentId)
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ channel_id }) => channel_id))
}

export interface ChannelKey {
  organization: number
  channel_id: string
}

/** Channels with something due, of all organizations. From key to key: one with much that waits costs no more than another. */
export async function findDueChannels(db: Db, at: Date): Promise<ChannelKey[]> {
  const { rows } = await sql<ChannelKey>`
    with recursive waiting as (
      (select organization, channel_id from telling order by organization, channel_id limit 1)
      union all
      select next.organization, next.channel_id from waiting, lateral (
        select organization, channel_id from telling
        where (organization, channel_id) > (waiting.organization, waiting.channel_id)
        order by organization, channel_id limit 1
      ) as next
    )
    select organization, channel_id from waiting
    where exists (
      select from telling where telling.organization = waiting.organization and telling.channel_id = waiting.channel_id
        and next_try_at <= ${at}
    )`.execute(db)
  return rows
}

/** Takes tellings of a channel that are due, those that have waited longest first; until then nobody else gets them. */
export function leaseTellings(db: Db, channel: ChannelKey, at: Date, until: Date, limit: number): Promise<QueuedTelling[]> {
  const due = db
    .selectFrom('telling')
    .select('id')
    .where('organization', '=', channel.organization)
    .where('channel_id', '=', channel.channel_id)
    .where('next_try_at', '<=', at)
    .orderBy('next_try_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .with(once('due'), () => due)
    .updateTable('telling')
    .set({ next_try_at: until })
    .where('organization', '=', channel.organization)
    .where('id', 'in', (from) => from.selectFrom('due').select('id'))
    .returning([...COLUMNS])
    .execute()
}

export async function postponeTelling(
  db: Db,
  { organization, id }: Pick<QueuedTelling, 'organization' | 'id'>,
  tries: number,
  nextTryAt: Date,
): Promise<void> {
  await db
    .updateTable('telling')
    .set({ tries, next_try_at: nextTryAt })
    .where('organization', '=', organization)
    .where('id', '=', id)
    .execute()
}

/** Takes away what is told, and lets the next of the same incident go. False when it was gone. Run inside a transaction. */
export async function deleteTelling(db: Db, telling: QueuedTelling, at: Date): Promise<boolean> {
  const { organization, id, channel_id, incident_id } = telling
  const gone = await db
    .deleteFrom('telling')
    .where('organization', '=', organization)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!gone || incident_id === null) return gone !== undefined
  const next = db
    .selectFrom('telling')
    .select('id')
    .where('organization', '=', organization)
    .where('incident_id', '=', incident_id)
    .where('channel_id', '=', channel_id)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
  await db
    .updateTable('telling')
    .set({ next_try_at: at })
    .where('organization', '=', organization)
    .where('id', '=', next)
    .where('next_try_at', 'is', null)
    .execute()
  return true
}

/** Forgets what waits for a channel that is gone or disabled; gives how many. */
export async function deleteTellingsOf(db: Db, { organization, channel_id }: ChannelKey): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('telling')
    .where('organization', '=', organization)
    .where('channel_id', '=', channel_id)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** What is told by a telling. */
export interface ToldEvent {
  type: string
  data: Record<string, unknown>
  /** Of the incident, if it is about one. */
  evidence: Record<string, unknown> | null
  timeline: { at: string; type: string; message: string }[] | null
}

/** Undefined where the event is kept no more. The timeline goes up to the moment in which the telling was stored. */
export async function readToldEvent(db: Db, telling: QueuedTelling): Promise<ToldEvent | undefined> {
  const { organization, event_id, event_at, incident_id, incident_at, created_at } = telling
  const { rows } = await sql<ToldEvent>`
    select e.type, e.data, i.evidence, (
      select json_agg(json_build_object(
        'at', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'type', s.type, 'message', s.message
      ) order by s.at, s.id)
      from incident_event as s
      where s.organization = ${organization} and s.incident_id = ${incident_id} and s.at <= ${created_at}
    ) as timeline
    from live_event as e
    left join incident as i on i.organization = ${organization} and i.id = ${incident_id} and i.at = ${incident_at}
    where e.organization = ${organization} and e.id = ${event_id} and e.at = ${event_at}`.execute(db)
  return rows[0]
}
