import type { SeriesSubject } from '../alerts/index.ts'
import { collectEvidence, findSubjects } from '../alerts/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { parseId } from '../../platform/ids.ts'
import { SUBJECT_LABELS } from './alert.ts'
import type { OpeningAlert } from './plan.ts'

type Labels = Readonly<Record<string, string>>

/** What an alert may be about, by its labels: stored ids, and names, the most certain first. Pure. */
export function subjectNames(labels: Labels): { ids: string[]; names: string[] } {
  const values = SUBJECT_LABELS.flatMap((name) => labels[name] ?? [])
  const ids = values.flatMap((text) => parseId('server', text) ?? parseId('monitor', text) ?? [])
  return { ids, names: values.flatMap((text) => [text, withoutPort(text)]) }
}

/** `web-1` of `web-1:9100`. */
const withoutPort = (text: string): string => text.replace(/:\d{1,5}$/, '')

/** The one server or monitor that the labels name; by a name only where one alone has it. Pure. */
export function subjectOf(labels: Labels, subjects: readonly SeriesSubject[]): SeriesSubject | undefined {
  const { ids, names } = subjectNames(labels)
  const byId = ids.flatMap((id) => subjects.find((one) => one.id === id) ?? [])[0]
  if (byId) return byId
  for (const name of names) {
    const named = subjects.filter((one) => one.name === name)
    if (named.length === 1) return named[0]
  }
  return undefined
}

/** What each alert is known to be about, in one statement. */
export async function findAlertSubjects(
  db: Db,
  organization: number,
  alerts: readonly OpeningAlert[],
): Promise<Map<string, SeriesSubject>> {
  const named = alerts.map(({ external }) => subjectNames(external.labels))
  const [ids, names] = [new Set(named.flatMap((one) => one.ids)), new Set(named.flatMap((one) => one.names))]
  if (ids.size + names.size === 0) return new Map()
  const subjects = await findSubjects(db, organization, { ids: [...ids], names: [...names] })
  if (subjects.length === 0) return new Map()
  return new Map(
    alerts.flatMap(({ fingerprint, external }) => {
      const subject = subjectOf(external.labels, subjects)
      return subject ? [[fingerprint, subject]] : []
    }),
  )
}

/** Of a request: to read the state of a host takes several statements. */
const MAX_EVIDENCE = 20

/** The state of the first subjects, by their id. */
export async function readEvidence(
  db: Db,
  organization: number,
  subjects: Iterable<SeriesSubject>,
  atMs: number,
): Promise<Map<string, Record<string, unknown>>> {
  const distinct = [...new Map([...subjects].map((one) => [one.id, one])).values()].slice(0, MAX_EVIDENCE)
  const evidence = new Map<string, Record<string, unknown>>()
  for (const subject of distinct) evidence.set(subject.id, await collectEvidence(db, organization, subject, atMs))
  return evidence
}
