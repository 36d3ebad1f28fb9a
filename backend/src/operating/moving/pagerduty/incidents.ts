import { instantOf, type Json, listOf, objectOf, textOf, wordOf } from '../json.ts'
import type { SourceFiles } from '../files.ts'
import { type PastAlert, pastIn } from '../history.ts'
import { refOf } from '../model.ts'
import { emailsIn, endpoint, servicesIn } from './read.ts'

/** The incidents of `incidents.json`, with their log entries and notes (`incidents/<id>/log_entries.json`, `…/notes.json`). Pure. */
export function incidentsOfPagerDuty(files: SourceFiles): PastAlert[] {
  const moved = new Set(servicesIn(files).flatMap((one) => (wordOf(one['status']) === 'disabled' ? [] : textOf(one['id']))))
  const emails = emailsIn(files)
  const listIn = (id: string, name: string): Json[] => {
    const content = files.get(`incidents/${id}/${name}.json`)
    return listOf(Array.isArray(content) ? content : objectOf(content)[name])
  }
  const logged = Map.groupBy([...endpoint(files, 'log_entries', 'log_entry'), ...pastIn(files, 'log_entries')], (entry) =>
    textOf(objectOf(entry['incident'])['id']),
  )
  return [...endpoint(files, 'incidents', 'incident'), ...pastIn(files, 'incidents')].map((incident) => {
    const id = textOf(incident['id'])
    const entries = [...(logged.get(id) ?? []), ...listIn(id, 'log_entries')]
    const notes = [...listOf(incident['notes']), ...listIn(id, 'notes')]
    return toAlert(incident, entries, notes, moved, (agent) => nameOf(agent, emails))
  })
}

const nameOf = (agent: unknown, emails: ReadonlyMap<string, string>): string => {
  const one = objectOf(agent)
  return emails.get(textOf(one['id'])) || textOf(one['summary']) || textOf(one['name'])
}

function toAlert(
  incident: Json,
  entries: readonly Json[],
  notes: readonly Json[],
  moved: ReadonlySet<string>,
  by: (agent: unknown) => string,
): PastAlert {
  const service = objectOf(incident['service'])
  const entryOf = (type: string) => entries.find((entry) => wordOf(entry['type']).startsWith(type))
  const [acknowledged, resolved] = [entryOf('acknowledge'), entryOf('resolve')]
  const isResolved = wordOf(incident['status']) === 'resolved'
  const priority = textOf(objectOf(incident['priority'])['summary']) || textOf(objectOf(incident['priority'])['name'])
  const serviceId = textOf(service['id'])
  return {
    id: textOf(incident['id']),
    key: textOf(incident['incident_key']),
    title: textOf(incident['title']) || textOf(incident['summary']),
    text: textOf(incident['description']),
    severity: wordOf(incident['urgency']) === 'high' ? 'critical' : wordOf(incident['urgency']) === 'low' ? 'warning' : null,
    labels: { priority, service: textOf(service['summary']) },
    url: textOf(incident['html_url']),
    openedMs: instantOf(incident['created_at']),
    acknowledgedMs: instantOf(acknowledged?.['created_at']),
    acknowledgedBy: by(acknowledged?.['agent']),
    resolvedMs: isResolved
      ? (instantOf(incident['resolved_at']) ??
        instantOf(resolved?.['created_at']) ??
        instantOf(incident['last_status_change_at']))
      : undefined,
    resolvedBy: by(resolved?.['agent'] ?? incident['last_status_change_by']),
    isOpen: !isResolved,
    comments: notes.map((note) => ({
      atMs: instantOf(note['created_at']),
      text: textOf(note['content']),
      by: by(note['user']),
    })),
    ref: moved.has(serviceId) ? `alert_source:${refOf('pagerduty', 'services', serviceId)}` : undefined,
    by: `the service ${textOf(service['summary']) || serviceId || '(none)'}`,
  }
}
