import type { Severity } from '@vedette/shared'
import { openIncident } from '../src/alerting/incidents/lifecycle.ts'
import { encodeId, newId, parseId } from '../src/platform/ids.ts'
import type { TestBackend, TestOrganization } from './harness.ts'

interface TestIncident {
  severity?: Severity
  summary?: string
  atMs?: number
  /** Of the rule and of what it is about, as uuids. */
  ruleId?: string
  target?: { type: 'monitor' | 'server'; id: string; name: string }
  /** The incident below which it opens silently: `inc_…`. */
  parent?: string
  flapping?: boolean
}

/** Opens an incident and gives its id: people cannot make one. By default its rule and its monitor are gone by now. */
export async function openTestIncident(
  { pool, clock }: TestBackend,
  { number }: TestOrganization,
  own: TestIncident = {},
): Promise<string> {
  const { severity = 'critical', summary = 'Shop is down', atMs = clock.now(), ruleId = newId(), parent, flapping = false } = own
  const { type, id: targetId, name } = own.target ?? ({ type: 'monitor', id: newId(), name: 'Shop' } as const)
  const id = newId()
  const about = { rule_id: ruleId, target_type: type, target_id: targetId, target_name: name }
  const parentId = parent === undefined ? null : (parseId('incident', parent) ?? null)
  const family = { parent_id: parentId, silenced: parentId !== null, flapping }
  const rest = { severity, summary, ...family, evidence: { status: 'down' } }
  await openIncident(pool.db, number, { id, ...about, ...rest }, new Date(atMs))
  return encodeId('incident', id)
}
