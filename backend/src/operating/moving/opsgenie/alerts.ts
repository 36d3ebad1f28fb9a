import { instantOf, type Json, listOf, numberOf, objectOf, partOf, textOf, wordOf } from '../json.ts'
import type { SourceFiles } from '../files.ts'
import { labelsOfTags, type PastAlert, pastIn } from '../history.ts'
import { refOf } from '../model.ts'
import { filesOf } from './read.ts'

const BELOW = /(?:^|\/)alerts\/([^/]+)\/(notes|logs)\.json$/i

/**
 * The alerts of `alerts.json` or `alerts/`, as `GET /v2/alerts` has them, with the notes of `alerts/<id>/notes.json`. Pure.
 */
export function alertsOfOpsgenie(files: SourceFiles): PastAlert[] {
  const notes = new Map<string, Json[]>()
  const own = new Map(
    [...files].filter(([path, content]) => {
      const [, id = '', kind = ''] = BELOW.exec(path) ?? []
      if (kind.toLowerCase() === 'notes') notes.set(id, listOf(Array.isArray(content) ? content : objectOf(content)['data']))
      return kind === ''
    }),
  )
  const moved = new Set(filesOf(files, 'integrations').flatMap((file) => refOfIntegration(partOf(file, 'integration')) ?? []))
  const saved = filesOf(own, 'alerts').flatMap((content) => (Array.isArray(content) ? listOf(content) : listOfAnswer(content)))
  return [...saved, ...pastIn(files, 'alerts')].map((alert) =>
    toAlert(alert, [...listOf(alert['notes']), ...(notes.get(textOf(alert['id'])) ?? [])], moved),
  )
}

/** One object, or the answer of the endpoint. */
const listOfAnswer = (content: unknown): Json[] => {
  const { data } = objectOf(content)
  return Array.isArray(data) ? listOf(data) : [partOf(content, 'data')]
}

const refOfIntegration = (integration: Json): string | undefined =>
  integration['enabled'] === false ? undefined : `alert_source:${refOf('opsgenie', 'integrations', textOf(integration['id']))}`

function toAlert(alert: Json, notes: readonly Json[], moved: ReadonlySet<string>): PastAlert {
  const report = objectOf(alert['report'])
  const openedMs = instantOf(alert['createdAt'])
  const after = (ms: unknown) => {
    const passed = numberOf(ms)
    return openedMs === undefined || passed === undefined ? undefined : openedMs + passed
  }
  const integration = objectOf(alert['integration'])
  const ref = `alert_source:${refOf('opsgenie', 'integrations', textOf(integration['id']))}`
  const isClosed = wordOf(alert['status']) === 'closed'
  return {
    id: textOf(alert['id']),
    key: textOf(alert['alias']),
    title: textOf(alert['message']),
    text: textOf(alert['description']),
    severity: textOf(alert['priority']) || null,
    labels: labelsIn(alert),
    openedMs,
    acknowledgedMs: after(report['ackTime']),
    acknowledgedBy: textOf(report['acknowledgedBy']),
    // Without a report the last change of a closed alert is its end.
    resolvedMs: isClosed ? (after(report['closeTime']) ?? instantOf(alert['updatedAt'])) : undefined,
    resolvedBy: textOf(report['closedBy']),
    isOpen: !isClosed,
    comments: notes.map((note) => ({
      atMs: instantOf(note['createdAt']),
      text: textOf(note['note']),
      by: textOf(note['owner']),
    })),
    ref: moved.has(ref) ? ref : undefined,
    by: `the integration ${textOf(integration['name']) || textOf(integration['id']) || '(none)'}`,
  }
}

const labelsIn = (alert: Json): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(objectOf(alert['details'])).map(([name, value]) => [name, textOf(value)])),
  ...labelsOfTags(Array.isArray(alert['tags']) ? alert['tags'].map(textOf).filter((tag) => tag !== '') : []),
  entity: textOf(alert['entity']),
  source: textOf(alert['source']),
})
