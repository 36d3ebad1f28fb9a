import { toAlertSource } from '../alert-source.ts'
import type { OldAddress } from '../address.ts'
import type { SourceFiles } from '../files.ts'
import { type Json, listOf, objectOf, textOf } from '../json.ts'
import { type Moved, newNotes, refOf } from '../model.ts'

/** The keys of `routing-keys.json`, as `/api-public/v1/org/routing-keys` answers. */
function routingKeysIn(files: SourceFiles): Json[] {
  const all = files.get('routing-keys.json') ?? files.get('org/routing-keys.json')
  return listOf(Array.isArray(all) ? all : objectOf(all)['routingKeys'])
}

/** What its REST endpoint takes, and Alertmanager, Grafana and others send to it. */
const TEMPLATE = {
  key: '{{ body.entity_id }}',
  title: '{{ body.entity_display_name | default: body.entity_id }}',
  severity: '{{ body.message_type | downcase }}',
  status:
    '{% assign type = body.message_type | upcase %}{% if type == "RECOVERY" %}resolved{% elsif type == "ACKNOWLEDGEMENT" %}acknowledged{% else %}firing{% endif %}',
}

const refOfKey = (key: string): string => refOf('splunk-oncall', 'routing-keys', key)

/** Each routing key is an alert source that takes the messages of the REST endpoint. `policies`: references by their slugs. Pure. */
export function readRoutingKeys(files: SourceFiles, policies: ReadonlyMap<string, string>): Moved {
  const made = routingKeysIn(files).map((one) => {
    const key = textOf(one['routingKey'])
    const source = { kind: 'routing_key', id: key, name: key }
    const notes = newNotes()
    const targets = listOf(one['targets'])
    const known = targets.flatMap((target) => policies.get(textOf(target['policySlug'])) ?? [])
    for (const target of targets)
      if (!policies.has(textOf(target['policySlug'])))
        notes.losses.push(`the policy ${textOf(target['policyName']) || textOf(target['policySlug'])} does not come`)
    if (known.length > 1)
      notes.losses.push(`it has ${known.length} policies, which are all followed there; the first one is here`)
    if (known.length === 0) notes.changes.push('it names no policy that comes: choose one')
    const sender = { name: key, type: 'generic', policy: known[0], template: TEMPLATE }
    return toAlertSource(source, refOfKey(key), sender, notes)
  })
  return { resources: made.flatMap(({ resources }) => resources), report: made.map(({ row }) => row) }
}

/** Of routing keys; the key of the endpoint, which is a secret, is in no file. Pure. */
export const addressesOfSplunk = (files: SourceFiles): OldAddress[] =>
  routingKeysIn(files).map((one) => {
    const key = textOf(one['routingKey'])
    const old = [`https://alert.victorops.com/integrations/generic/20131114/alert/…/${encodeURIComponent(key)}`]
    return { name: key, ref: `alert_source:${refOfKey(key)}`, old }
  })
