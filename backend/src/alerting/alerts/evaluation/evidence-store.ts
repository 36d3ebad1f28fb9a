import { type CheckFacts, DAY_MS } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { dayOf } from '../../../platform/time/day.ts'
import type { TargetDocumentation } from './documentation.ts'

/** The newest check of a region. */
export interface RegionCheckRow {
  region: string
  /** Confirmed; null before the first conclusive check. */
  state: string | null
  at: number | null
  outcome: number | null
  status_code: number | null
  response_us: number | null
  dns_us: number | null
  connect_us: number | null
  tls_us: number | null
  first_byte_us: number | null
  transfer_us: number | null
  error_code: string | null
  error_message: string | null
  address: string | null
  facts: CheckFacts | null
  certificate_expires_at: number | null
  /** The response to a failed check, if there was one; secrets are masked. */
  status_line: string | null
  body: string | null
}

/** The newest check of each region of a monitor; regions that are not up first. */
export async function readRegionChecks(db: Db, organization: number, monitor: number, nowMs: number): Promise<RegionCheckRow[]> {
  const { rows } = await sql<RegionCheckRow>`
    select r.id as region, s.state, s.certificate_expires_at, c.at, c.outcome, c.status_code, c.response_us, c.dns_us, c.connect_us,
      c.tls_us, c.first_byte_us, c.transfer_us, c.error_code, c.error_message, c.address, c.facts, a.status_line, a.body
    from check_schedule as s
    join region as r on r.number = s.region
    left join check_result as c on c.organization = ${organization} and c.monitor = ${monitor} and c.at = s.last_checked_at
      and c.region = s.region and c.day between ${dayOf(nowMs - DAY_MS)}::date and ${dayOf(nowMs + DAY_MS)}::date
    left join check_answer as a on a.organization = s.organization and a.monitor = s.monitor and a.region = s.region
      and a.at = s.last_checked_at
    where s.organization = ${organization} and s.monitor = ${monitor}
    order by (s.state is distinct from 'up') desc, r.id
    limit 20`.execute(db)
  return rows
}

const DOCUMENTATION = ['description', 'runbook_url', 'responsible', 'links'] as const

export const findDocumentation = (
  db: Db,
  organization: number,
  { type, id }: { type: 'monitor' | 'server'; id: string },
): Promise<TargetDocumentation | undefined> =>
  type === 'server'
    ? db
        .selectFrom('server')
        .select(DOCUMENTATION)
        .where('organization', '=', organization)
        .where('id', '=', id)
        .executeTakeFirst()
    : db
        .selectFrom('monitor')
        .select(DOCUMENTATION)
        .where('organization', '=', organization)
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()

/** The server of a target. */
export interface Host {
  id: string
  number: number
  name: string
  tags: string[]
}

export async function findHost(db: Db, organization: number, serverId: string): Promise<Host | undefined> {
  const { rows } = await sql<Host>`
    select id, number, coalesce(display_name, hostname) as name, tags from server
    where organization = ${organization} and id = ${serverId}`.execute(db)
  return rows[0]
}
