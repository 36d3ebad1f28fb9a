import {
  coversComposites,
  deriveFlapping,
  FLAPPING_CHANGES,
  FLAPPING_MS,
  replayStatuses,
  type StatusStep,
} from '../alerts/index.ts'
import { healthMetric, toTimestamp } from '@vedette/shared'
import { spanAt, type Span } from '../../platform/time/spans.ts'
import type { Action, RecordedIncident, ReplayedIncident, ReplayRule, Target, World } from './model.ts'

interface Times {
  openedAtMs: number
  resolvedAtMs: number | null
}

/** When a monitor was flapping, by its statuses, oldest first. Pure. */
export function flappingSpans(steps: readonly StatusStep[], intervalSeconds: number, toMs: number): Span[] {
  const spans: Span[] = []
  let current: Span | undefined
  const changes: number[] = []
  for (const [index, { status, atMs }] of steps.entries()) {
    // Active hours that begin or end are no change.
    if (index === 0 || status === 'idle' || steps[index - 1]?.status === 'idle') continue
    changes.unshift(atMs)
    const isFlapping = current !== undefined && atMs < current.toMs
    const derived = deriveFlapping({ isFlapping, changesMs: changes.slice(0, FLAPPING_CHANGES), intervalSeconds }, atMs)
    if (status === 'paused' || !derived.isFlapping) {
      if (current && atMs < current.toMs) current.toMs = atMs
      current = undefined
      continue
    }
    if (current && isFlapping) current.toMs = derived.stableAtMs
    else spans.push((current = { fromMs: atMs, toMs: derived.stableAtMs }))
  }
  return spans.filter((span) => span.fromMs < toMs)
}

/** What a rule on the status of a monitor opens. What holds at the beginning was opened before. Pure. */
export function statusIncidents(
  rule: ReplayRule,
  steps: readonly StatusStep[],
  flapping: readonly Span[],
  world: World,
): Times[] {
  const { fromMs, toMs } = world
  const holds = steps[0]?.status === rule.value
  const { results } = replayStatuses({ ...rule, defined_at: new Date(fromMs) }, holds, steps, toMs)
  const all: Times[] = []
  for (const { result, atMs, step } of results) {
    const last = all.at(-1)
    // While it flaps an incident stays open, except by a pause.
    const span = result === 'resolved' && step.status !== 'paused' ? spanAt(flapping, atMs) : undefined
    if (result === 'resolved' && last) last.resolvedAtMs = span && span.toMs > atMs ? span.toMs : atMs
    if (result !== 'opened') continue
    if (last && last.resolvedAtMs !== null && atMs < last.resolvedAtMs) last.resolvedAtMs = null
    else all.push({ openedAtMs: atMs, resolvedAtMs: null })
  }
  return all
    .filter(({ openedAtMs }) => openedAtMs < toMs)
    .map((one) => ({ ...one, resolvedAtMs: one.resolvedAtMs !== null && one.resolvedAtMs < toMs ? one.resolvedAtMs : null }))
}

export interface IncidentsOfRule {
  incidents: ReplayedIncident[]
  /** Why it could not be replayed. */
  limit?: string
}

const isOnMonitorStatus = (rule: ReplayRule): boolean => rule.target_type === 'monitor' && rule.metric === 'status'

/** What each rule of a set opens within the period. Pure. */
export function createIncidents(world: World): (rule: ReplayRule) => IncidentsOfRule {
  const flapping = new Map(
    world.targets.flatMap((target) => {
      const steps = world.statuses.get(target.id)
      if (!steps || steps.length <= FLAPPING_CHANGES) return []
      return [[target.id, flappingSpans(steps, target.interval_seconds ?? 0, world.toMs)]]
    }),
  )
  const byRule = Map.groupBy(world.recorded, ({ rule_id: id }) => id)
  const targets = new Map(world.targets.map((target) => [target.id, target]))
  return (rule) => {
    if (!rule.enabled) return { incidents: [] }
    const recorded = byRule.get(rule.id) ?? []
    if (isOnMonitorStatus(rule)) return { incidents: ofStatus(world, rule, recorded, flapping) }
    if (rule.changed !== undefined && healthMetric(rule.metric)) return ofFindings(world, rule, recorded)
    if (rule.changed === 'new' || rule.changed === 'redefined')
      return {
        incidents: [],
        limit: 'only incidents that were really opened are known for this metric, not those of another condition',
      }
    const own = recorded.filter(({ openedAtMs }) => openedAtMs >= world.fromMs)
    const incidents = own.map((one) => toIncident(rule, one, targets.get(one.target_id), own))
    return rule.changed === 'enabled'
      ? { incidents, limit: 'it is off now: only incidents that it opened while it was on are known' }
      : { incidents }
  }
}

function ofStatus(
  world: World,
  rule: ReplayRule,
  recorded: readonly RecordedIncident[],
  flapping: ReadonlyMap<string, Span[]>,
): ReplayedIncident[] {
  const byTarget = Map.groupBy(recorded, ({ target_id: id }) => id)
  return world.targets.flatMap((target) => {
    const steps = world.statuses.get(target.id)
    if (!steps || !isOf(rule, target)) return []
    const spans = flapping.get(target.id) ?? []
    const { type, id, name } = target
    return statusIncidents(rule, steps, spans, world).map((times) => {
      const incident = { rule, target: { type, id, name, subject: target }, ...times, flapping: spans, storyId: null, before: 0 }
      return resolvedByHand({ ...incident, actions: actionsOf(world, times, byTarget.get(id) ?? []) })
    })
  })
}

/** Of a rule on a finding that is not as it is configured: from what was found on each server, as far as that is stored. */
function ofFindings(world: World, rule: ReplayRule, recorded: readonly RecordedIncident[]): IncidentsOfRule {
  const { health } = world
  const code = healthMetric(rule.metric)
  const { knownFromMs = world.toMs } = health ?? {}
  const known = { ...world, fromMs: Math.max(world.fromMs, knownFromMs) }
  const byTarget = Map.groupBy(recorded, ({ target_id: id }) => id)
  const incidents = world.targets.flatMap((target) => {
    const { type, id, name } = target
    const steps = health?.steps.get(`${code} ${id}`)
    if (!steps || !isOf(rule, target)) return []
    const all = statusIncidents({ ...rule, value: 'down' }, steps, [], known)
    return all.map((times) => {
      const before = all.filter(
        ({ openedAtMs: atMs }) => atMs < times.openedAtMs && atMs >= times.openedAtMs - FLAPPING_MS,
      ).length
      const incident = { rule, target: { type, id, name, subject: target }, ...times, flapping: [], storyId: null, before }
      return resolvedByHand({ ...incident, actions: actionsOf(world, times, byTarget.get(id) ?? []) })
    })
  })
  if (knownFromMs <= world.fromMs) return { incidents }
  return { incidents, limit: `what was found on servers before ${toTimestamp(knownFromMs)} is not stored` }
}

/** Whether a rule applies to a target. Pure. */
export const isOf = (rule: ReplayRule, { type, id, tags, is_composite: isComposite = false }: Target): boolean =>
  rule.target_type === type &&
  (!isComposite || coversComposites(rule)) &&
  (rule.target_id === null ? rule.target_tag === null || tags.includes(rule.target_tag) : rule.target_id === id)

function toIncident(
  rule: ReplayRule,
  one: RecordedIncident,
  subject: Target | undefined,
  all: readonly RecordedIncident[],
): ReplayedIncident {
  const { openedAtMs, resolvedAtMs, actions, storyId, evidence, target_type: type, target_id: id, target_name: name } = one
  const before = all.filter(
    (other) =>
      other.target_id === id &&
      other.series === one.series &&
      other.openedAtMs < openedAtMs &&
      other.openedAtMs >= openedAtMs - FLAPPING_MS,
  ).length
  const { severity, tags = [] } = one.external ?? {}
  const own = severity === undefined ? rule : { ...rule, severity }
  return {
    rule: own,
    target: { type, id, name, subject, tags },
    openedAtMs,
    resolvedAtMs,
    actions,
    flapping: [],
    storyId,
    evidence,
    before,
  }
}

/** What was really done to the incidents of the same rule and target that were open at the same time. */
function actionsOf({ toMs }: World, { openedAtMs, resolvedAtMs }: Times, recorded: readonly RecordedIncident[]): Action[] {
  const endMs = resolvedAtMs ?? toMs
  return recorded
    .filter((one) => one.openedAtMs < endMs && (one.resolvedAtMs ?? Infinity) > openedAtMs)
    .flatMap(({ actions }) => actions.filter(({ atMs }) => atMs >= openedAtMs && atMs < endMs))
    .toSorted((one, other) => one.atMs - other.atMs)
}

function resolvedByHand(incident: ReplayedIncident): ReplayedIncident {
  const resolved = incident.actions.find(({ type }) => type === 'resolved')
  return resolved ? { ...incident, resolvedAtMs: resolved.atMs } : incident
}

export const wasReal = (
  recorded: readonly RecordedIncident[],
  { rule, target, openedAtMs, resolvedAtMs }: ReplayedIncident,
): boolean =>
  recorded.some(
    (one) =>
      one.rule_id === rule.id &&
      one.target_id === target.id &&
      one.openedAtMs < (resolvedAtMs ?? Infinity) &&
      (one.resolvedAtMs ?? Infinity) > openedAtMs,
  )
