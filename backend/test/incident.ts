import type { Severity } from '@vedette/shared'
import { openIncident } from '../src/incidents/lifecycle.ts'
import { encodeId, newId } from '../src/platform/ids.ts'
import type { TestBackend, TestOrganization } from './harness.ts'

/** Opens an incident of a rule and a monitor that are gone by now, and gives its id: people cannot make one. */
export async function openTestIncident(
  { pool, clock }: TestBackend,
  { number }: TestOrganization,
  own: { severity?: Severity; summary?: string; atMs?: number } = {},
): Promise<string> {
  const { severity = 'critical', summary = 'Shop is down', atMs = clock.now() } = own
  const id = newId()
  const about = { rule_id: newId(), target_type: 'monitor', target_id: newId(), target_name: 'Shop' } as const
  const rest = { severity, summary, silenced: false, evidence: { status: 'down' } } as const
  await openIncident(pool.db, number, { id, ...about, ...rest }, new Date(atMs))
  return encodeId('incident', id)
}
