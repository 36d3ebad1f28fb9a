import type { ConfigurationResource } from '@vedette/shared'
import { moved, nameOf, type Notes, type ReportRow, type Source } from './model.ts'

interface Sender {
  name: string
  /** Of an alert source here. */
  type: string
  /** Reference of a policy, without its kind. */
  policy: string | undefined
}

const KIND = 'alert_source'

/** What sends alerts at the source, as an alert source here; the only place that knows its fields. */
export function toAlertSource(
  source: Source,
  ref: string,
  { name, type, policy }: Sender,
  notes: Notes,
): { resources: ConfigurationResource[]; row: ReportRow } {
  const escalation = policy !== undefined && { escalation_policy_id: { ref: `escalation_policy:${policy}` } }
  const resource: ConfigurationResource = { kind: KIND, ref, spec: { name: nameOf(name), type, ...escalation } }
  const changes = [...notes.changes, 'it has a new address, which its senders must be given']
  return { resources: [resource], row: moved(source, [`${KIND}:${ref}`], { ...notes, changes }) }
}
