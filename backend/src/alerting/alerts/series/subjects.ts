import type { Db } from '../../../platform/db/index.ts'
import { parseId } from '../../../platform/ids.ts'
import type { FindingTarget } from '../evaluation/apply-finding.ts'
import { type FiringSeries, type Labels, seriesText } from './answer.ts'
import { findSubjects, type SeriesSubject } from './store.ts'

/** What the series of a rule are about: the host or monitor that their labels name, as our own do, or the series itself. */
export async function findTargets(
  db: Db,
  organization: number,
  ruleName: string,
  series: readonly FiringSeries[],
): Promise<Map<string, FindingTarget>> {
  const named = series.map(({ labels }) => namesOf(labels))
  const ids = named.flatMap(({ monitor, server }) => [monitor, server]).filter((id) => id !== undefined)
  const names = named.flatMap(({ instance }) => instance ?? [])
  const subjects = ids.length + names.length === 0 ? [] : await findSubjects(db, organization, { ids, names })
  return new Map(series.map((one) => [one.id, subjectOf(one.labels, subjects) ?? seriesTarget(ruleName, one)]))
}

interface Names {
  monitor?: string | undefined
  server?: string | undefined
  instance?: string | undefined
}

const namesOf = ({ monitor_id: monitor, server_id: server, instance }: Labels): Names => ({
  monitor: monitor === undefined ? undefined : parseId('monitor', monitor),
  server: server === undefined ? undefined : parseId('server', server),
  instance,
})

/** By the ids; by its name only where one alone has it. Pure. */
export function subjectOf(labels: Labels, subjects: readonly SeriesSubject[]): SeriesSubject | undefined {
  const { monitor, server, instance } = namesOf(labels)
  const byId = (type: SeriesSubject['type'], id: string | undefined) => subjects.find((one) => one.type === type && one.id === id)
  const named = subjects.filter(({ name }) => name === instance)
  return byId('monitor', monitor) ?? byId('server', server) ?? (named.length === 1 ? named[0] : undefined)
}

const seriesTarget = (ruleName: string, { id, labels }: FiringSeries): FindingTarget => ({
  type: 'series',
  id,
  name: seriesText(labels, { withName: false }) || ruleName,
  tags: [],
})
