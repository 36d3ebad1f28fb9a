import type { Dependency } from '@vedette/shared'
import {
  dependsOnHost,
  EVALUATION_MS,
  hostRecoveryMs,
  isWindowOf,
  lastingMs,
  MAX_WAIT_MS,
  REPEAT_SECONDS,
  waitsForParents,
} from '../alerts/index.ts'
import { occurrencesIn } from '../../platform/time/recurrence.ts'
import { joined, type Span, spanAt } from '../../platform/time/spans.ts'
import type { ReplayedIncident, RuleSet, Target, World } from './model.ts'

/** Reasons that follow one another for one incident. */
const MAX_TURNS = 10_000

export interface Opening {
  /** When somebody is notified; undefined: it ended before. */
  atMs: number | undefined
  byDependency: boolean
  byMaintenance: boolean
}

/** When somebody is first notified of each incident of a set. Without `rest` pure. */
export async function createSuppression(
  world: World,
  set: RuleSet,
  rest: () => Promise<void>,
): Promise<(incident: ReplayedIncident) => Opening> {
  const { fromMs, toMs } = world
  const occurrences: { window: RuleSet['windows'][number]; spans: Span[] }[] = []
  for (const window of set.windows) {
    await rest()
    occurrences.push({ window, spans: occurrencesIn(window, fromMs, toMs) })
  }
  const windowsOf = memoized((target: Target) =>
    joined(occurrences.filter(({ window }) => isWindowOf(window, target)).flatMap(({ spans }) => spans)),
  )
  const down = createDown(world)
  const waitOf = memoized((target: Target) => parentWait(world, target))
  return (incident) => {
    const { rule, target, openedAtMs, resolvedAtMs, before } = incident
    const subject = target.subject
    const none = { atMs: openedAtMs, byDependency: false, byMaintenance: false }
    if (!subject) return none
    const topic = { type: subject.type, metric: rule.metric }
    const parents = down(subject, dependsOnHost(topic))
    const windows = windowsOf(subject)
    const recoveryMs = Math.max(hostRecoveryMs(rule.metric, subject), subject.interval_ms ?? world.offlineMs)
    const waitMs = waitsForParents(rule.metric, subject) ? waitOf(subject) : 0
    const mustLastMs = lastingMs(topic, before)
    const found = { ...none, byDependency: spanAt(parents, openedAtMs) !== undefined, byMaintenance: false }
    found.byMaintenance = spanAt(windows, openedAtMs) !== undefined
    let [atMs, upMs] = [openedAtMs, undefined as number | undefined]
    const endMs = resolvedAtMs ?? toMs
    // A parent that goes down while it waits counts.
    const waitUntil = (untilMs: number) => {
      const next = parents.find((span) => span.fromMs > atMs && span.fromMs <= untilMs)
      atMs = next?.fromMs ?? untilMs
    }
    for (let turns = 0; turns < MAX_TURNS && atMs < endMs; turns += 1) {
      const [parent, window] = [spanAt(parents, atMs), spanAt(windows, atMs)]
      if (parent) {
        found.byDependency = true
        atMs = upMs = parent.toMs
      } else if (upMs !== undefined && atMs < upMs + recoveryMs) waitUntil(upMs + recoveryMs)
      else if (upMs === undefined && atMs < openedAtMs + waitMs) waitUntil(openedAtMs + waitMs)
      else if (window) waitUntil(window.toMs)
      else if (atMs < openedAtMs + mustLastMs) waitUntil(openedAtMs + mustLastMs)
      else return { ...found, atMs }
    }
    return { ...found, atMs: undefined }
  }
}

function memoized<T>(make: (target: Target) => T): (target: Target) => T {
  const all = new Map<string, T>()
  return (target) => {
    const before = all.get(target.id)
    if (before !== undefined) return before
    const made = make(target)
    all.set(target.id, made)
    return made
  }
}

const isNamed = ({ type, id, tag }: Dependency, target: Target): boolean =>
  type === target.type && (id === undefined ? tag !== undefined && target.tags.includes(tag) : id === target.id)

/** When something that a target depends on was down; with its server, or without. */
function createDown(world: World) {
  const offline = Map.groupBy(
    world.recorded.filter(({ target_type: type, metric }) => type === 'server' && metric === 'status'),
    ({ target_id: id }) => id,
  )
  const spansOf = memoized((target): Span[] =>
    target.type === 'server'
      ? (offline.get(target.id) ?? []).map((one) => ({ fromMs: one.openedAtMs, toMs: one.resolvedAtMs ?? world.toMs }))
      : downSpans(world, target),
  )
  const servers = new Map(world.targets.filter(({ type }) => type === 'server').map((server) => [server.id, server]))
  const namedOf = memoized((target): Span[] =>
    world.targets
      .filter((one) => one.id !== target.id && target.depends_on.some((named) => isNamed(named, one)))
      .flatMap(spansOf),
  )
  return (target: Target, withHost: boolean): Span[] => {
    const host = withHost && target.host_id !== null ? servers.get(target.host_id) : undefined
    return joined([...namedOf(target), ...(host ? spansOf(host) : [])])
  }
}

function downSpans({ statuses, toMs }: World, { id }: Target): Span[] {
  const steps = statuses.get(id) ?? []
  return steps.flatMap(({ status, atMs }, index) =>
    status === 'down' ? [{ fromMs: atMs, toMs: steps[index + 1]?.atMs ?? toMs }] : [],
  )
}

/** How long an incident waits for the check of a parent. */
function parentWait(world: World, target: Target): number {
  const waits = target.depends_on.flatMap((named) =>
    world.targets
      .filter((one) => isNamed(named, one))
      .map((one) => {
        if (one.type === 'server') return world.offlineMs + EVALUATION_MS
        const intervalMs = (one.interval_seconds ?? 0) * 1000
        return named.id === undefined ? intervalMs + REPEAT_SECONDS * 1000 : intervalMs
      }),
  )
  return Math.min(Math.max(0, ...waits), MAX_WAIT_MS)
}
