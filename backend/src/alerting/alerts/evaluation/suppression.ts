import type { Dependency, RuleTargetType } from '@vedette/shared'
import { type DownThing, findDown, keyOf } from '../../../monitoring/dependencies/index.ts'
import { countIncidents, findFlappingSeries } from '../../incidents/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { isSilenceOf } from '../maintenance-windows/silence.ts'
import { appliesTo } from '../rules/rule.ts'
import { endOfWindow } from '../../../platform/time/recurrence.ts'
import { listStartedWindows, type WindowRow } from '../maintenance-windows/store.ts'
import {
  dependsOnHost,
  FLAPPING_MS,
  FLAPS,
  LASTING_MS,
  lastingMs,
  mustLastWhenFlapping,
  waitsForParents,
} from './suppression-rules.ts'
import { readSubjects, type Subject } from './suppression-store.ts'

/** What an incident is about. */
export interface SuppressionTarget {
  type: RuleTargetType
  id: string
  /** Which of the series of the rule. */
  series?: string | undefined
  ruleId: string
  /** Of the rule: an incident for an offline server suppresses others, not itself. */
  metric: string
  openedAt: Date
  /** Of an alert of a sender. */
  labels?: Readonly<Record<string, string>> | undefined
}

/** What suppresses incidents of an organization at an instant. */
export interface SuppressionState {
  subjects: ReadonlyMap<string, Subject>
  windows: readonly WindowRow[]
  down: ReadonlyMap<string, DownThing[]>
}

/** Reads that for incidents of these targets, with the same few statements for one as for hundreds. */
export async function readSuppressionState(
  db: Db,
  organization: number,
  targetIds: readonly string[],
  at: Date,
): Promise<SuppressionState> {
  const subjects = await readSubjects(db, organization, [...new Set(targetIds)])
  const started = await listStartedWindows(db, organization, at)
  const named = subjects.flatMap((subject) => [...subject.depends_on, ...hostOf(subject)])
  return {
    subjects: new Map(subjects.map((subject) => [subject.id, subject])),
    windows: started.filter((window) => endOfWindow(window, at.getTime()) !== undefined),
    down: await findDown(db, organization, [...new Map(named.map((one) => [keyOf(one), one])).values()]),
  }
}

const hostOf = ({ host_id: id }: Subject): Dependency[] => (id === null ? [] : [{ type: 'server', id }])

/** Those of these monitors, by id, that a maintenance window applies to, directly or by the server that they run on. */
export async function listUnderMaintenance(
  db: Db,
  organization: number,
  monitorIds: readonly string[],
  at: Date,
): Promise<Set<string>> {
  const started = await listStartedWindows(db, organization, at)
  const windows = started.filter((window) => endOfWindow(window, at.getTime()) !== undefined)
  if (windows.length === 0) return new Set()
  const subjects = await readSubjects(db, organization, monitorIds)
  return new Set(subjects.filter((subject) => windows.some((window) => isWindowOf(window, subject))).map(({ id }) => id))
}

/** The maintenance window of the target, or of the server that a monitor runs on; the silence of an alert. */
export function findWindow(
  { subjects, windows }: Pick<SuppressionState, 'subjects' | 'windows'>,
  { id, ruleId, labels }: Pick<SuppressionTarget, 'id' | 'ruleId' | 'labels'>,
): WindowRow | undefined {
  const subject = subjects.get(id)
  return windows.find(
    (window) =>
      (subject !== undefined && isWindowOf(window, subject)) ||
      (labels !== undefined && window.target_id === ruleId && isSilenceOf(window, labels)),
  )
}

/** Whether a window applies to this target, or to the server that a monitor runs on. */
export function isWindowOf(window: Parameters<typeof appliesTo>[0], subject: Subject): boolean {
  const { host_id: hostId, host_tags: tags } = subject
  return appliesTo(window, subject) || (hostId !== null && appliesTo(window, { type: 'server', id: hostId, tags: tags ?? [] }))
}

/**
 * What is down of all that the target depends on, those with an incident first. The server that a monitor runs on, and the server of a
 * threshold, count while an incident reports that they are offline.
 */
export function findDownParents({ subjects, down }: SuppressionState, target: SuppressionTarget): DownThing[] {
  const subject = subjects.get(target.id)
  if (!subject) return []
  const hosts = dependsOnHost(target) ? hostOf(subject) : []
  const downOf = (named: readonly Dependency[]) => named.flatMap((one) => down.get(keyOf(one)) ?? [])
  const parents = [
    ...downOf(subject.depends_on).filter(({ id }) => id !== target.id),
    ...downOf(hosts).filter(({ incident_id: incidentId }) => incidentId !== null),
  ]
  const hasIncident = ({ incident_id: incidentId }: DownThing) => incidentId !== null
  return [...parents.filter(hasIncident), ...parents.filter((parent) => !hasIncident(parent))]
}

export const mayWait = ({ subjects }: SuppressionState, { id, metric }: SuppressionTarget): boolean =>
  waitsForParents(metric, subjects.get(id))

export interface Suppression {
  /** For the timeline. */
  reason: string
  flapping?: boolean
}

/**
 * Why nobody is notified of an incident that opens: a maintenance window, something that its target depends on is down, or may be
 * and is not checked yet; or the target is flapping and the incident may end at once. Undefined where somebody is.
 */
export async function findSuppression(
  db: Db,
  organization: number,
  state: SuppressionState,
  target: SuppressionTarget,
): Promise<Suppression | undefined> {
  return explain(state, target) ?? findFlapping(db, organization, target, target.openedAt)
}

/** The same without the flapping of the target. Pure. */
function explain(state: SuppressionState, target: SuppressionTarget): Suppression | undefined {
  const window = findWindow(state, target)
  if (window) return byWindow(window)
  const [parent] = findDownParents(state, target)
  if (parent)
    return {
      reason: `notifications suppressed: ${parent.type} ${parent.name} is ${parent.type === 'server' ? 'offline' : 'down'}`,
    }
  return mayWait(state, target) ? { reason: 'notified after the next check of what it depends on' } : undefined
}

const byWindow = ({ name }: WindowRow): Suppression => ({
  reason: `notifications suppressed by the maintenance window ${name}`,
})

/** An alert of a sender that is known to be about something, or about nothing that is known here. */
export type ExternalTarget = Omit<SuppressionTarget, 'type' | 'series'> & {
  type: 'monitor' | 'server' | 'external'
  series: string
}

/** What suppresses incidents of one source, in their order, by a few statements for all of them. */
export async function suppressExternal(
  db: Db,
  organization: number,
  targets: readonly ExternalTarget[],
  at: Date,
): Promise<{ suppression: Suppression | undefined; parent: DownThing | undefined }[]> {
  const [first] = targets
  if (!first) return []
  const known = targets.filter(({ type }) => type !== 'external').map(({ id }) => id)
  const state = await readSuppressionState(db, organization, known, at)
  const flapping = await findFlappingSeries(db, organization, {
    ruleId: first.ruleId,
    series: targets.map(({ series }) => series),
    since: new Date(at.getTime() - FLAPPING_MS),
    least: FLAPS,
  })
  return targets.map(({ type, ...target }) => {
    const window = findWindow(state, target)
    const about = type === 'external' ? undefined : { ...target, type }
    const own = about ? explain(state, about) : window && byWindow(window)
    const [parent] = about ? findDownParents(state, about) : []
    return { suppression: own ?? (flapping.has(target.series) ? FLAPPING : undefined), parent }
  })
}

const FLAPPING: Suppression = {
  reason: `flapping, ${FLAPS} incidents in the last hour: notified if it lasts 5 minutes`,
  flapping: true,
}

/** The same for flapping alone, except that of a monitor's status, whose incident stays open meanwhile. */
export async function findFlapping(
  db: Db,
  organization: number,
  target: SuppressionTarget,
  at: Date,
): Promise<Suppression | undefined> {
  const { id, series, ruleId, openedAt } = target
  // Saves the statement.
  if (!mustLastWhenFlapping(target) || at.getTime() - openedAt.getTime() >= LASTING_MS) return undefined
  const since = new Date(openedAt.getTime() - FLAPPING_MS)
  const before = await countIncidents(db, organization, { ruleId, targetId: id, series, since, before: openedAt })
  if (lastingMs(target, before) === 0) return undefined
  return FLAPPING
}
