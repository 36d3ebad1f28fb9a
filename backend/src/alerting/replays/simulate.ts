import { choosePolicy, dueAfter, nextStep, type PolicyRow } from '../../notifying/escalation/index.ts'
import { CHANNEL_KINDS } from '../../notifying/notifications/index.ts'
import { spanAt } from '../../platform/time/spans.ts'
import type { Action, Lane, ReplayedIncident, RuleSet, Sent } from './model.ts'
import type { createRecipients } from './recipients.ts'

type Recipients = Awaited<ReturnType<typeof createRecipients>>

interface Context {
  set: RuleSet
  recipients: Recipients
  toMs: number
}

/** An incident of a story, and when somebody would be notified of it first; undefined: it ends before. */
export interface Member {
  incident: ReplayedIncident
  firstMs: number | undefined
}

/** What is due next for an incident. */
interface Due {
  atMs: number
  /** Of the policy, from 0; null: a reminder. */
  number: number | null
}

/** An incident while time passes: `waits` until its first notification → `open` ⇄ `acknowledged` → `ended`. */
interface State {
  incident: ReplayedIncident
  policy: PolicyRow | undefined
  status: 'waits' | 'open' | 'acknowledged' | 'ended'
  due: Due | undefined
  /** Of what its rule sends. */
  notifiedAtMs: number | undefined
  notified: Map<string, Lane>
  /** By lane, until when its last notification waits. */
  pending: Map<string, number>
}

/** Who was notified of a story. */
interface Reached {
  laneIds: Set<string>
  policyIds: Set<string>
  hasBrowsers: boolean
}

type EventType = 'end' | 'opening' | 'acknowledged' | 'flapping' | 'stable'
interface Event {
  type: EventType
  state: State
  atMs: number
  untilMs: number | null
}
/** What happens first of what has one time. */
const RANKS: Readonly<Record<EventType, number>> = { end: 0, opening: 1, acknowledged: 2, flapping: 2, stable: 2 }

/** What is known while a story is simulated. */
interface Run {
  recipients: Recipients
  states: readonly State[]
  sent: Sent[]
  ofAll: Reached
  /** Of a critical incident only critical ones count. */
  ofCritical: Reached
}

const newReached = (): Reached => ({ laneIds: new Set(), policyIds: new Set(), hasBrowsers: false })

/**
 * Everything that is sent of incidents that are one story, or of one that is alone: the next ones go only where the story was not
 * notified yet, steps and reminders go on with another one where the first one ends, and the end follows that of the last one. Pure.
 */
export function simulate({ set, recipients, toMs }: Context, members: readonly Member[]): Sent[] {
  const started = members.flatMap(({ incident, firstMs }) =>
    firstMs === undefined ? [] : [{ firstMs, state: newState(set, incident) }],
  )
  const states = started.map(({ state }) => state)
  const run: Run = { recipients, states, sent: [], ofAll: newReached(), ofCritical: newReached() }
  const events = started
    .flatMap(({ state, firstMs }) => eventsOf(state, firstMs, toMs))
    .toSorted((one, other) => one.atMs - other.atMs || RANKS[one.type] - RANKS[other.type])
  for (let index = 0; ; ) {
    const event = events[index]
    const state = nextDue(states)
    const dueAtMs = state ? dueMs(state) : Infinity
    if (event && event.atMs <= dueAtMs) {
      index += 1
      take(run, event)
      continue
    }
    if (!state?.due || dueAtMs >= toMs) break
    state.status = 'open'
    if (state.policy) takeStep(run, state, state.due.number ?? 0, dueAtMs)
    else remind(run, state, dueAtMs)
  }
  const endMs = members.reduce((last, { incident }) => Math.max(last, incident.resolvedAtMs ?? Infinity), 0)
  if (endMs < toMs) endStory(run, endMs)
  return run.sent
}

/** Nothing is due while it flaps. */
const dueMs = ({ due, incident: { flapping } }: State): number =>
  due === undefined ? Infinity : (spanAt(flapping, due.atMs)?.toMs ?? due.atMs)

const nextDue = (states: readonly State[]): State | undefined =>
  states.reduce<State | undefined>((first, one) => (one.due && (!first || dueMs(one) < dueMs(first)) ? one : first), undefined)

function take(run: Run, event: Event): void {
  const { type, state, atMs } = event
  if (type === 'end') handOver(run, state)
  else if (type === 'opening') open(run, state, atMs)
  else if (type === 'acknowledged') acknowledge(run, event)
  else later(run, state, type, atMs)
}

function emit(
  { recipients, sent }: Run,
  { incident, policy, pending }: State,
  lanes: readonly Lane[],
  reason: Sent['reason'],
  atMs: number,
  step: number | null = null,
): void {
  for (const lane of lanes) {
    const heldUntilMs = recipients.heldUntil(lane, incident.rule, atMs)
    if (heldUntilMs !== null) pending.set(lane.id, heldUntilMs)
    const atNight = recipients.isAtNight(lane, policy, heldUntilMs ?? atMs)
    sent.push({ incident, atMs, reason, step, lane, heldUntilMs, atNight })
  }
}

const withoutPending = ({ pending }: State, lanes: readonly Lane[], atMs: number): Lane[] =>
  lanes.filter(({ id }) => !((pending.get(id) ?? 0) > atMs))

/** A step of people or of the status, to those that were notified of the incident. */
function later(
  run: Run,
  state: State,
  reason: 'acknowledged' | 'flapping' | 'stable' | 'resolved',
  atMs: number,
  lanes = [...state.notified.values()],
): void {
  emit(run, state, run.recipients.receiving(lanes, `incident.${reason}`), reason, atMs)
}

function add({ ofAll, ofCritical }: Run, { incident: { rule }, policy, notified }: State, lanes: readonly Lane[]): void {
  for (const lane of lanes) notified.set(lane.id, lane)
  for (const reached of rule.severity === 'critical' ? [ofAll, ofCritical] : [ofAll]) {
    for (const { id } of lanes) reached.laneIds.add(id)
    if (policy) reached.policyIds.add(policy.id)
    else reached.hasBrowsers = true
  }
}

function takeStep(run: Run, state: State, from: number, atMs: number): void {
  const { policy } = state
  const step = policy && nextStep(policy, from, atMs)
  state.due = undefined
  if (!policy || !step) return
  const { lanes, toOwners } = run.recipients.stepOf(step.step, atMs)
  const unique = [...new Map(lanes.map((lane) => [lane.id, lane])).values()]
  add(run, state, unique)
  emit(run, state, withoutPending(state, unique, atMs), toOwners ? 'owners' : 'policy', atMs, step.number + 1)
  const nextMs = dueAfter(policy, step, atMs)
  if (nextMs !== undefined) state.due = { atMs: nextMs, number: step.number + 1 }
}

/** One that was not notified by itself goes to those that were notified of its story. */
function remind(run: Run, state: State, atMs: number): void {
  if (state.notified.size === 0) add(run, state, [...new Map(run.states.flatMap(({ notified }) => [...notified])).values()])
  const lanes = run.recipients.receiving([...state.notified.values()], 'incident.opened')
  emit(run, state, withoutPending(state, lanes, atMs), 'reminder', atMs)
  markNotified(state, atMs)
}

function markNotified(state: State, atMs: number): void {
  const { repeat_seconds: seconds } = state.incident.rule
  state.notifiedAtMs = atMs
  state.due = seconds === null ? undefined : { atMs: atMs + seconds * 1000, number: null }
}

function open(run: Run, state: State, atMs: number): void {
  const { policy, incident } = state
  const { policyIds, hasBrowsers, laneIds } = incident.rule.severity === 'critical' ? run.ofCritical : run.ofAll
  state.status = 'open'
  if (policy && !policyIds.has(policy.id)) return takeStep(run, state, 0, atMs)
  const isNew = ({ id, via }: Lane) => (via === 'browser' ? !hasBrowsers : !laneIds.has(id))
  const lanes = policy ? [] : run.recipients.ofRule(incident.rule).filter(isNew)
  if (!policy && (lanes.some(({ via }) => via !== 'browser') || !hasBrowsers)) markNotified(state, atMs)
  add(run, state, lanes)
  emit(run, state, lanes, 'rule', atMs)
}

/** What is due of an incident that ends goes on with another one: of the same rule, if there is one. */
function handOver({ states }: Run, gone: State): void {
  const { due, notifiedAtMs, policy, status } = gone
  const isStep = due !== undefined && due.number !== null
  gone.status = 'ended'
  gone.due = undefined
  if (!isStep && notifiedAtMs === undefined) return
  const heirs = states.filter(
    (one) =>
      (one.status === 'open' || (one.status === 'acknowledged' && status === 'acknowledged')) &&
      one.policy?.id === policy?.id &&
      (isStep ? policy !== undefined && one.due === undefined : one.notifiedAtMs === undefined),
  )
  const rank = ({ incident, status: its }: State) =>
    Number(incident.rule.id !== gone.incident.rule.id) * 2 + Number(its !== 'open')
  const heir = heirs.toSorted((one, other) => rank(one) - rank(other))[0]
  if (heir && isStep) heir.due = due
  else if (heir?.status === 'open') markNotified(heir, notifiedAtMs as number)
}

function acknowledge(run: Run, { state, atMs, untilMs }: Event): void {
  const wasAcknowledged = state.status === 'acknowledged'
  if (wasAcknowledged && untilMs === null) return
  const { policy } = state
  state.status = 'acknowledged'
  const reopenMs = untilMs ?? (policy?.reopen_seconds ? atMs + policy.reopen_seconds * 1000 : undefined)
  state.due = reopenMs === undefined ? undefined : { atMs: reopenMs, number: 0 }
  if (!wasAcknowledged) later(run, state, 'acknowledged', atMs)
}

/** Each channel gets the end once. */
function endStory(run: Run, endMs: number): void {
  const known = new Set<string>()
  for (const state of run.states) {
    const lanes = [...state.notified.values()].filter((lane) => takesEach(lane) || !known.has(lane.id))
    for (const { id } of lanes) known.add(id)
    later(run, state, 'resolved', endMs, lanes)
  }
}

const newState = (set: RuleSet, incident: ReplayedIncident): State => ({
  incident,
  policy: choosePolicy(set.policies, {
    ofRule: incident.rule.escalation_policy_id,
    tags: [...(incident.target.subject?.tags ?? []), ...(incident.target.tags ?? [])],
  }),
  status: 'waits',
  due: undefined,
  notifiedAtMs: undefined,
  notified: new Map(),
  pending: new Map(),
})

/** Services that group by themselves know the end of each incident. */
const takesEach = ({ channel }: Lane): boolean => {
  const kinds: Readonly<Record<string, { takesEachIncident?: boolean }>> = CHANNEL_KINDS
  return channel !== undefined && kinds[channel.type]?.takesEachIncident === true
}

/** What happens to an incident from its first notification on; nothing follows its end. */
function eventsOf(state: State, firstMs: number, toMs: number): Event[] {
  const { actions, flapping, openedAtMs, resolvedAtMs } = state.incident
  const endMs = Math.max(firstMs, Math.min(resolvedAtMs ?? toMs, toMs))
  const isWithin = ({ atMs }: Event) => atMs >= firstMs && atMs < endMs
  const acknowledgements = actions.filter((one): one is Action & { type: 'acknowledged' } => one.type === 'acknowledged')
  const changes = flapping.flatMap(({ fromMs, toMs: stableMs }): Event[] => [
    // One that opens while the status alternates is flapping from the start.
    ...(fromMs > openedAtMs ? [{ type: 'flapping' as const, state, atMs: fromMs, untilMs: null }] : []),
    { type: 'stable', state, atMs: stableMs, untilMs: null },
  ])
  return [
    { type: 'opening', state, atMs: firstMs, untilMs: null },
    ...[...acknowledgements.map((one) => ({ ...one, state })), ...changes].filter(isWithin),
    // Half a millisecond after an opening of the same instant.
    { type: 'end', state, atMs: endMs === firstMs ? endMs + 0.5 : endMs, untilMs: null },
  ]
}
