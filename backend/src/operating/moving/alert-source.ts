import { type ConfigurationResource, MAX_SOURCE_ROUTES } from '@vedette/shared'
import { moved, nameOf, type Notes, type ReportRow, type Source } from './model.ts'

interface Sender {
  name: string
  /** Of an alert source here. */
  type: string
  /** Reference of a policy, without its kind. */
  policy: string | undefined
  /** The first one that an alert has the labels of counts before `policy`. */
  routes?: readonly SenderRoute[]
  /** Of `generic`. */
  template?: Readonly<Record<string, string>>
}

export interface SenderRoute {
  labels: Readonly<Record<string, string>>
  policy: string
}

const KIND = 'alert_source'

/** What sends alerts at the source, as an alert source here; the only place that knows its fields. */
export function toAlertSource(
  source: Source,
  ref: string,
  { name, type, policy, routes = [], template }: Sender,
  notes: Notes,
): { resources: ConfigurationResource[]; row: ReportRow } {
  const escalation = policy !== undefined && { escalation_policy_id: { ref: `escalation_policy:${policy}` } }
  if (routes.length > MAX_SOURCE_ROUTES)
    notes.losses.push(`it has ${routes.length} routes; the first ${MAX_SOURCE_ROUTES} of them come`)
  const routed = routes
    .slice(0, MAX_SOURCE_ROUTES)
    .map((route) => ({ labels: route.labels, escalation_policy_id: { ref: `escalation_policy:${route.policy}` } }))
  const more = { ...(routed.length > 0 && { routes: routed }), ...(template && { template }) }
  const resource: ConfigurationResource = { kind: KIND, ref, spec: { name: nameOf(name), type, ...escalation, ...more } }
  const changes = [...notes.changes, 'it has a new address, which its senders must be given']
  return { resources: [resource], row: moved(source, [`${KIND}:${ref}`], { ...notes, changes }) }
}
