import type { ConfigurationResource } from '@vedette/shared'
import { toAlertSource } from '../alert-source.ts'
import { toHeartbeat } from '../heartbeat.ts'
import { instantOf, type Json, listOf, numberOf, objectOf, partOf, textOf, wordOf } from '../json.ts'
import { type Moved, newNotes, refOf, refused, type Source, together } from '../model.ts'
import { toWindows } from '../windows.ts'
import type { Accounts } from './accounts.ts'

const SENDERS: Readonly<Record<string, string>> = {
  // Alertmanager sends to it in Opsgenie’s own format (`opsgenie_configs`).
  prometheus: 'opsgenie',
  grafana: 'grafana',
  amazonsns: 'sns',
  cloudwatch: 'sns',
  zabbix: 'zabbix',
  checkmk: 'checkmk',
  icinga2: 'icinga2',
  uptimekuma: 'uptime_kuma',
  pagerdutycompatibility: 'pagerduty_v2',
  email: 'email',
  webhook: 'generic',
}

/** Integrations, each with the policy to which its alerts go. Pure. */
export function readIntegrations(files: readonly unknown[], accounts: Accounts, policies: ReadonlyMap<string, string>): Moved {
  return together(
    files.map((file) => {
      const one = partOf(file, 'integration')
      const source: Source = { kind: 'integration', id: textOf(one['id']), name: textOf(one['name']) }
      if (one['enabled'] === false) return { resources: [], report: [refused(source, 'it is switched off at the source')] }
      const type = wordOf(one['type'])
      const notes = newNotes()
      const known = SENDERS[type.replaceAll(/[^a-z0-9]/g, '')]
      if (known === undefined && type !== 'api') notes.changes.push(`its senders of the type "${type}" must speak Opsgenie’s API`)
      const policy = policyOf(one, accounts, policies)
      if (policy === undefined) notes.changes.push('it names no escalation that comes: choose an escalation policy')
      const sender = { name: source.name, type: known ?? 'opsgenie', policy }
      const { resources, row } = toAlertSource(source, refOf('opsgenie', 'integrations', source.id), sender, notes)
      return { resources, report: [row] }
    }),
  )
}

function policyOf(integration: Json, accounts: Accounts, policies: ReadonlyMap<string, string>): string | undefined {
  const named = [...listOf(integration['responders']), ...listOf(integration['recipients'])]
  const teams = [...named.filter(({ type }) => wordOf(type) === 'team'), objectOf(integration['ownerTeam'])]
  const escalations = [...named, ...teams.map((team) => accounts.routeOf(team) ?? {})].filter(
    ({ type }) => wordOf(type) === 'escalation',
  )
  const found = escalations.map((one) => policies.get(textOf(one['id'])) ?? policies.get(textOf(one['name'])))
  return found.find((ref) => ref !== undefined)
}

/** Maintenance that has not ended. Pure. */
export function readMaintenance(files: readonly unknown[], nowMs: number): Moved {
  return together(
    files.map((file) => {
      const one = partOf(file, 'maintenance')
      const time = objectOf(one['time'])
      const name = textOf(one['description']) || textOf(one['id'])
      const source: Source = { kind: 'maintenance', id: textOf(one['id']), name }
      const of = listOf(one['rules']).map((rule) => textOf(objectOf(rule['entity'])['id']))
      const span = { startMs: instantOf(time['startDate']), endMs: instantOf(time['endDate']) }
      return toWindows(source, refOf('opsgenie', 'maintenance', source.id), span, of, nowMs)
    }),
  )
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 }

/** Heartbeats. Pure. */
export function readHeartbeats(files: readonly unknown[]): Moved {
  return together(
    files.map((file) => {
      const one = partOf(file, 'heartbeat')
      const source: Source = { kind: 'heartbeat', id: textOf(one['name']), name: textOf(one['name']) }
      const unit = UNIT_SECONDS[wordOf(one['intervalUnit']) || 'minutes']
      const seconds = (numberOf(one['interval']) ?? Number.NaN) * (unit ?? Number.NaN)
      if (one['enabled'] === false) return { resources: [], report: [refused(source, 'it is switched off at the source')] }
      return toHeartbeat(source, refOf('opsgenie', 'heartbeats', source.id), seconds)
    }),
  )
}

/** What has no counterpart here, each named once. Pure. */
export const readRefused = (kind: string, files: readonly unknown[], reason: string): Moved => ({
  resources: [] as ConfigurationResource[],
  report: files.map((file) => {
    const [only] = Object.values(objectOf(file))
    const one = { ...objectOf(only), ...objectOf(file) }
    return refused({ kind, id: textOf(one['id']), name: textOf(one['name']) || textOf(one['alias']) }, reason)
  }),
})
