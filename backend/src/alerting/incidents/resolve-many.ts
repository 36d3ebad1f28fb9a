import { filterRecipients, listBrowsersOf, listBrowsersOfMembers, publishMany } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { resolveIncident } from './lifecycle.ts'
import { insertIncidentEvents, markManyResolved } from './many-store.ts'
import type { NotifiedIncident, OpenIncident } from './store.ts'
import { toIncidentItem } from './wire.ts'

/** An open incident that ends, with what its timeline says. */
export type EndingIncident = OpenIncident & { reason: string; notified_at: Date | null; escalation_due_at: Date | null }

/**
 * Resolves incidents as `resolveIncident` does each, with a number of statements that does not follow theirs, except for those of a story
 * that were notified. Run it in a transaction that has locked them.
 */
export async function resolveIncidents(db: Db, organization: number, ending: readonly EndingIncident[], at: Date): Promise<void> {
  if (ending.length === 0) return
  const single = new Set(leadersOf(ending))
  const rest = ending.filter((one) => !single.has(one))
  const reasons = new Map(rest.map(({ incident_id: id, reason }) => [id, reason]))
  const rows = rest.length === 0 ? [] : await markManyResolved(db, organization, rest, at)
  await insertIncidentEvents(
    db,
    organization,
    rows.map(({ id }) => ({ incidentId: id, type: 'resolved', message: reasons.get(id) ?? 'resolved' })),
    at,
  )
  await notifyOfEnds(db, organization, rows, at)
  // After the others: the last one of a story is notified.
  for (const { reason, ...open } of single) await resolveIncident(db, organization, open, reason, at)
}

/** Of each story those that may hand something over, and at least one, whose end may be that of the story. Pure. */
function leadersOf(ending: readonly EndingIncident[]): EndingIncident[] {
  const members = ending.filter(({ story_id: id, is_muted: isMuted }) => id !== null && !isMuted)
  return [...Map.groupBy(members, ({ story_id: id }) => id).values()].flatMap((some) => {
    const notified = some.filter(({ notified_at: at, escalation_due_at: dueAt }) => at !== null || dueAt !== null)
    return notified.length > 0 ? notified : some.slice(-1)
  })
}

async function notifyOfEnds(db: Db, organization: number, rows: readonly NotifiedIncident[], at: Date): Promise<void> {
  if (rows.length === 0) return
  const type = 'incident.resolved'
  const named = [...new Set(rows.flatMap(({ notified_channel_ids: ids }) => ids))]
  const accepting = new Set(await filterRecipients(db, organization, named, type))
  const members = rows.some(isToMembers) ? await listBrowsersOfMembers(db, organization) : []
  const byUsers = new Map<string, string[]>()
  for (const row of rows) {
    const key = row.notified_user_ids.join()
    if (isToMembers(row) || key === '' || byUsers.has(key)) continue
    byUsers.set(key, await listBrowsersOf(db, organization, row.notified_user_ids))
  }
  const browsersOf = (row: NotifiedIncident) =>
    row.silenced || row.story_id !== null ? [] : isToMembers(row) ? members : (byUsers.get(row.notified_user_ids.join()) ?? [])
  await publishMany(
    db,
    organization,
    rows.map((row) => ({
      event: { type, at, data: { incident: toIncidentItem(row) } },
      channelIds:
        row.story_id === null || row.cause?.kind === 'parent' ? row.notified_channel_ids.filter((id) => accepting.has(id)) : [],
      browserIds: browsersOf(row),
      incident: row,
    })),
    at,
  )
}

const isToMembers = ({ escalation_policy_id: policyId }: NotifiedIncident): boolean => policyId === null
