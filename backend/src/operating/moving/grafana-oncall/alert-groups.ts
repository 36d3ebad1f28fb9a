import type { SourceFiles } from '../files.ts'
import { type PastAlert, pastIn } from '../history.ts'
import { instantOf, objectOf, textOf, wordOf } from '../json.ts'
import { refOf } from '../model.ts'
import { endpoint, integrationsIn } from './read.ts'

/** The groups of `alert_groups.json`. Pure. */
export function alertGroupsOfGrafana(files: SourceFiles): PastAlert[] {
  const names = new Map(integrationsIn(files).map((one) => [textOf(one['id']), textOf(one['name'])]))
  const emails = new Map(endpoint(files, 'users').map((user) => [textOf(user['id']), textOf(user['email'])]))
  const emailOf = (id: unknown) => emails.get(textOf(id)) || textOf(id)
  return [...endpoint(files, 'alert_groups'), ...pastIn(files, 'alert_groups')].map((group) => {
    const integration = textOf(group['integration_id'])
    const isResolved = wordOf(group['state']) === 'resolved'
    return {
      id: textOf(group['id']),
      key: '',
      title: textOf(group['title']),
      url: textOf(objectOf(group['permalinks'])['web']),
      openedMs: instantOf(group['created_at']),
      acknowledgedMs: instantOf(group['acknowledged_at']),
      acknowledgedBy: emailOf(group['acknowledged_by']),
      resolvedMs: isResolved ? instantOf(group['resolved_at']) : undefined,
      resolvedBy: emailOf(group['resolved_by']),
      isOpen: !isResolved,
      ref: names.has(integration) ? `alert_source:${refOf('grafana-oncall', 'integrations', integration)}` : undefined,
      by: `the integration ${names.get(integration) || integration || '(none)'}`,
    }
  })
}
