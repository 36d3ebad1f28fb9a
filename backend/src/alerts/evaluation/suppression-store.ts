import type { Db } from '../../platform/db/index.ts'

export interface Tagged {
  id: string
  tags: readonly string[]
}

/** Whether this server has an open incident for being offline. */
export async function isReportedOffline(db: Db, organization: number, serverId: string): Promise<boolean> {
  const row = await db
    .selectFrom('open_incident as open')
    .innerJoin('alert_rule as rule', (join) =>
      join.onRef('rule.organization', '=', 'open.organization').onRef('rule.id', '=', 'open.rule_id'),
    )
    .select('open.rule_id')
    .where('open.organization', '=', organization)
    .where('open.target_id', '=', serverId)
    .where('open.is_muted', '=', false)
    .where('rule.metric', '=', 'status')
    .where('rule.target_type', '=', 'server')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A monitor with what windows match, and the server that it runs on. */
export async function findMonitor(
  db: Db,
  organization: number,
  id: string,
): Promise<(Tagged & { server_id: string | null }) | undefined> {
  return db
    .selectFrom('monitor')
    .select(['id', 'tags', 'server_id'])
    .where('organization', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}
