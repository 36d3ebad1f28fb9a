import type { AlertSource, AlertSourceTemplate, CreateAlertSourceBody, PatchAlertSourceBody, SeverityMap } from '@vedette/shared'
import { type AlertSourceType, MAX_SOURCE_OPEN, type Severity } from '@vedette/shared/tables'
import { parseDuration, typedDuration } from '../../lib/format.ts'
import { newKey } from '../../lib/rows.ts'

export const TEMPLATE_FIELDS = ['key', 'title', 'severity', 'status', 'url'] as const
type TemplateField = (typeof TEMPLATE_FIELDS)[number]

/** Which alerts go to another policy; `labels`: `team = shop`, one a line. */
export interface RouteInput {
  key: number
  labels: string
  policy: string
}

export const newRoute = (): RouteInput => ({ key: newKey(), labels: '', policy: '' })

/** An alert source while it is edited. */
export interface SourceInput {
  name: string
  type: AlertSourceType
  enabled: boolean
  muted: boolean
  /** Id of the escalation policy; empty: the channels are notified. */
  policy: string
  channels: readonly string[]
  routes: readonly RouteInput[]
  defaultSeverity: Severity
  /** `word = severity`, one a line. */
  severityMap: string
  tags: readonly string[]
  /** Names of labels with commas between. */
  tagLabels: string
  groupBy: string
  resolveAfter: string
  maxOpen: string
  template: Readonly<Record<TemplateField, string>>
}

export const NEW_SOURCE: SourceInput = {
  name: '',
  type: 'alertmanager',
  enabled: true,
  muted: false,
  policy: '',
  channels: [],
  routes: [],
  defaultSeverity: 'warning',
  severityMap: '',
  tags: [],
  tagLabels: '',
  groupBy: '',
  resolveAfter: '',
  maxOpen: String(MAX_SOURCE_OPEN.default),
  template: { key: '', title: '', severity: '', status: '', url: '' },
}

export const toSourceInput = (source: AlertSource): SourceInput => ({
  name: source.name,
  type: source.type,
  enabled: source.enabled,
  muted: source.muted,
  policy: source.escalation_policy_id ?? '',
  channels: source.channel_ids,
  routes: source.routes.map(({ labels, escalation_policy_id: policy }) => ({
    key: newKey(),
    labels: Object.entries(labels)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n'),
    policy,
  })),
  defaultSeverity: source.default_severity,
  severityMap: Object.entries(source.severity_map)
    .map(([word, severity]) => `${word} = ${severity}`)
    .join('\n'),
  tags: source.tags,
  tagLabels: source.tag_labels.join(', '),
  groupBy: source.group_by.join(', '),
  resolveAfter: source.resolve_after_seconds === null ? '' : typedDuration(source.resolve_after_seconds),
  maxOpen: String(source.max_open),
  template: { ...NEW_SOURCE.template, ...source.template },
})

const names = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

/** A word may have `=` in it; the schema refuses what is no severity. */
const toSeverityMap = (text: string): SeverityMap =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.includes('=') ? line.lastIndexOf('=') : line.length
        return [line.slice(0, at).trim(), line.slice(at + 1).trim() as Severity]
      }),
  )

/** A value may have `=` in it. */
const toLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.includes('=') ? line.indexOf('=') : line.length
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      }),
  )

function toTemplate({ type, template }: SourceInput): AlertSourceTemplate | null {
  const written = TEMPLATE_FIELDS.filter((name) => template[name].trim() !== '')
  if (type !== 'generic' || written.length === 0) return null
  return Object.fromEntries(written.map((name) => [name, template[name]]))
}

export const toPatchBody = (input: SourceInput): PatchAlertSourceBody => ({
  name: input.name.trim(),
  enabled: input.enabled,
  muted: input.muted,
  escalation_policy_id: input.policy === '' ? null : input.policy,
  // A policy has its own.
  channel_ids: input.policy === '' ? [...input.channels] : [],
  routes: input.routes.map(({ labels, policy }) => ({ labels: toLabels(labels), escalation_policy_id: policy })),
  default_severity: input.defaultSeverity,
  severity_map: toSeverityMap(input.severityMap),
  tags: [...input.tags],
  tag_labels: names(input.tagLabels),
  group_by: names(input.groupBy),
  resolve_after_seconds: input.resolveAfter.trim() === '' ? null : parseDuration(input.resolveAfter),
  // Nothing typed is no number, not 0.
  max_open: input.maxOpen.trim() === '' ? Number.NaN : Number(input.maxOpen),
  template: toTemplate(input),
})

export const toCreateBody = (input: SourceInput): CreateAlertSourceBody => ({
  ...toPatchBody(input),
  name: input.name.trim(),
  type: input.type,
})
