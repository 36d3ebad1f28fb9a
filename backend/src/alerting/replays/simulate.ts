import { choosePolicy, dueAfter, nextStep } from '../../notifying/escalation/index.ts'
import { spanAt } from '../../platform/time/spans.ts'
import type { Action, Lane, ReplayedIncident, RuleSet, Sent } from './model.ts'
import type { createRecipients } from './recipients.ts'

type Recipients = Awaited<ReturnType<typeof createRecipients>>

interface Context {
  set: RuleSet
  recipients: Recipients
  toMs: number
}

/** What is due next for an incident. */
interface Due {
  atMs: number
  /** Of the policy, from 0; null: a reminder. */
  number: number | null
}

/** Everything that is sent of one incident from its first notification on. Pure. */
export function simulate(context: Context, incident: ReplayedIncident, firstMs: number): Sent[] {
  const { set, recipients, toMs } = context
  const { rule, flapping } = incident
  const policy = choosePolicy(set.policies, { ofRule: rule.escalation_policy_id, tags: incident.target.subject?.tags ?? [] })
  const sent: Sent[] = []
  /** By lane, until when its last notification waits. */
  const pending = new Map<string, number>()
  const notified = new Map<string, Lane>()
  const emit = (lanes: readonly Lane[], reason: Sent['reason'], atMs: number, step: number | null = null) => {
    for (const lane of lanes) {
      const heldUntilMs = recipients.heldUntil(lane, rule, atMs)
      if (heldUntilMs !== null) pending.set(lane.id, heldUntilMs)
      const atNight = recipients.isAtNight(lane, policy, heldUntilMs ?? atMs)
      sent.push({ incident, atMs, reason, step, lane, heldUntilMs, atNight })
    }
  }
  const withoutPending = (lanes: readonly Lane[], atMs: number) => lanes.filter(({ id }) => !((pending.get(id) ?? 0) > atMs))
  const later = (type: string, reason: Sent['reason'], atMs: number) =>
    emit(recipients.receiving([...notified.values()], type), reason, atMs)
  const add = (lanes: readonly Lane[]) => lanes.forEach((lane) => notified.set(lane.id, lane))

  let due: Due | undefined
  function takeStep(from: number, atMs: number): void {
    const step = policy && nextStep(policy, from, atMs)
    due = undefined
    if (!policy || !step) return
    const { lanes, toOwners } = recipients.stepOf(step.step, atMs)
    const unique = [...new Map(lanes.map((lane) => [lane.id, lane])).values()]
    add(unique)
    emit(withoutPending(unique, atMs), toOwners ? 'owners' : 'policy', atMs, step.number + 1)
    const dueMs = dueAfter(policy, step, atMs)
    if (dueMs !== undefined) due = { atMs: dueMs, number: step.number + 1 }
  }
  function remind(atMs: number): void {
    emit(withoutPending(recipients.receiving([...notified.values()], 'incident.opened'), atMs), 'reminder', atMs)
    due = rule.repeat_seconds === null ? undefined : { atMs: atMs + rule.repeat_seconds * 1000, number: null }
  }

  if (policy) takeStep(0, firstMs)
  else {
    const lanes = recipients.ofRule(rule)
    add(lanes)
    emit(lanes, 'rule', firstMs)
    if (rule.repeat_seconds !== null) due = { atMs: firstMs + rule.repeat_seconds * 1000, number: null }
  }
  let isAcknowledged = false
  const endMs = Math.min(incident.resolvedAtMs ?? toMs, toMs)
  const events = eventsOf(incident, firstMs, endMs)
  /** Nothing is due while it flaps. */
  const dueMs = () => (due === undefined ? Infinity : (spanAt(flapping, due.atMs)?.toMs ?? due.atMs))
  for (;;) {
    const event = events[0]
    const nextMs = Math.min(event?.atMs ?? Infinity, dueMs())
    if (nextMs >= endMs) break
    if (event && event.atMs <= dueMs()) {
      events.shift()
      if (event.type !== 'acknowledged') later(`incident.${event.type}`, event.type, event.atMs)
      else if (!isAcknowledged || event.untilMs !== null) {
        const wasAcknowledged = isAcknowledged
        isAcknowledged = true
        const reopenMs = event.untilMs ?? (policy?.reopen_seconds ? event.atMs + policy.reopen_seconds * 1000 : undefined)
        due = reopenMs === undefined ? undefined : { atMs: reopenMs, number: 0 }
        if (!wasAcknowledged) later('incident.acknowledged', 'acknowledged', event.atMs)
      }
      continue
    }
    const { number } = due as Due
    isAcknowledged = false
    if (policy) takeStep(number ?? 0, nextMs)
    else remind(nextMs)
  }
  if (incident.resolvedAtMs !== null && incident.resolvedAtMs < toMs)
    later('incident.resolved', 'resolved', incident.resolvedAtMs)
  return sent
}

type Event = { type: 'acknowledged' | 'flapping' | 'stable'; atMs: number; untilMs: number | null }

/** What happens to an open incident, in order. */
function eventsOf({ actions, flapping, openedAtMs }: ReplayedIncident, firstMs: number, endMs: number): Event[] {
  const isWithin = ({ atMs }: { atMs: number }) => atMs >= firstMs && atMs < endMs
  const acknowledgements = actions.filter((one): one is Action & { type: 'acknowledged' } => one.type === 'acknowledged')
  const changes = flapping.flatMap(({ fromMs, toMs }): Event[] => [
    // One that opens while the status alternates is flapping from the start.
    ...(fromMs > openedAtMs ? [{ type: 'flapping' as const, atMs: fromMs, untilMs: null }] : []),
    { type: 'stable', atMs: toMs, untilMs: null },
  ])
  return [...acknowledgements, ...changes].filter(isWithin).toSorted((one, other) => one.atMs - other.atMs)
}
