import type { MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import type { Span } from '../../../platform/time/spans.ts'
import { type StatusSpan, statusSpans } from './times.ts'

/** The statuses in a window of those of these monitors that are composites, from their creation on; with one statement. */
export async function readStatusSpans(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: Span,
): Promise<Map<number, StatusSpan[]>> {
  const { rows } = await sql<{ number: number; createdMs: number; status: MonitorStatus; changes: [number, string, string][] }>`
    select m.number, (extract(epoch from m.created_at) * 1000)::float8 as "createdMs", t.status, coalesce((
      select json_agg(json_build_array((extract(epoch from c.at) * 1000)::float8, c.from_status, c.to_status) order by c.at, c.id)
      from monitor_transition as c
      where c.organization = m.organization and c.monitor = m.number and c.at > ${new Date(fromMs)}
    ), '[]') as changes
    from monitor as m join monitor_status as t on t.organization = m.organization and t.monitor = m.number
    where m.organization = ${organization} and m.type = 'composite' and m.deleted_at is null and m.number = any(${monitors}::int[])`.execute(
    db,
  )
  return new Map(
    rows.map(({ number, createdMs, status, changes }) => {
      const all = changes.map(([atMs, from, to]) => ({ atMs, from: from as MonitorStatus, to: to as MonitorStatus }))
      return [number, statusSpans(all, status, { fromMs: Math.max(fromMs, createdMs), toMs })]
    }),
  )
}
