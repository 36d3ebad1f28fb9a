import {
  type IdKind,
  MAX_REPLAY_NOTIFICATIONS,
  type ReplayDifference,
  type ReplayNotification,
  type ReplaySetResult,
  toTimestamp,
} from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { Person, ReplayRule, Sent, World } from './model.ts'
import type { SetResult } from './replay.ts'

/** Those of a new rule are not stored, so that they name nothing. */
const ruleIdOf = (rule: ReplayRule): string | null =>
  rule.changed === 'new' || rule.target_type === 'source' ? null : encodeId('alertRule', rule.id)

export function toNotification({ people }: World, sent: Sent): ReplayNotification {
  const { incident, atMs, reason, step, lane, heldUntilMs, atNight } = sent
  const { rule, target, openedAtMs, resolvedAtMs } = incident
  const { type, id, name } = target
  const person = lane.userId === null ? undefined : people.get(lane.userId)
  return {
    at: toTimestamp(atMs),
    reason,
    alert_rule_id: ruleIdOf(rule),
    alert_rule_name: rule.name,
    target: { type: type as 'monitor', id: encodeId(type as IdKind, id), name },
    opened_at: toTimestamp(openedAtMs),
    resolved_at: resolvedAtMs === null ? null : toTimestamp(resolvedAtMs),
    step,
    user_id: lane.userId === null ? null : encodeId('user', lane.userId),
    email: person?.email ?? null,
    name: person?.name ?? null,
    channel_id: lane.userId === null ? encodeId('channel', lane.id) : null,
    via: lane.via,
    held_until: heldUntilMs === null ? null : toTimestamp(heldUntilMs),
    at_night: atNight,
  }
}

const listed = (world: World, all: readonly Sent[]) => ({
  list: all.slice(0, MAX_REPLAY_NOTIFICATIONS).map((one) => toNotification(world, one)),
  has_more: all.length > MAX_REPLAY_NOTIFICATIONS,
})

const heldSeconds = ({ atMs, heldUntilMs }: Sent): number => (heldUntilMs === null ? 0 : Math.round((heldUntilMs - atMs) / 1000))
const longest = (all: readonly Sent[]): number => all.reduce((most, one) => Math.max(most, heldSeconds(one)), 0)
const countsOf = (all: readonly Sent[]) => ({
  notifications: all.length,
  at_night: all.filter(({ atNight }) => atNight).length,
  held: all.filter(({ heldUntilMs }) => heldUntilMs !== null).length,
  longest_held_seconds: longest(all),
})

export function toSetResult(world: World, name: string | undefined, result: SetResult): ReplaySetResult {
  const { incidents, byDependency, byMaintenance, neverNotified, sent, limits } = result
  const byPerson = Map.groupBy(sent, ({ lane }) => lane.userId)
  const byChannel = Map.groupBy(byPerson.get(null) ?? [], ({ lane }) => lane.id)
  const most = (one: { notifications: number }, other: { notifications: number }) => other.notifications - one.notifications
  const people = [...byPerson].flatMap(([userId, own]) => {
    const person: Person | undefined = userId === null ? undefined : world.people.get(userId)
    if (!person) return []
    const { user_id: id, email, name: ownName } = person
    return [{ user_id: encodeId('user', id), email, name: ownName, ...countsOf(own) }]
  })
  const channels = [...byChannel].flatMap(([id, own]) => {
    const channel = world.channels.get(id)
    return channel
      ? [{ channel_id: encodeId('channel', id), name: channel.name, type: channel.type, notifications: own.length }]
      : []
  })
  return {
    name: name ?? null,
    incidents,
    suppressed_by_dependency: byDependency,
    suppressed_by_maintenance: byMaintenance,
    never_notified: neverNotified,
    ...countsOf(sent),
    to_owners: sent.filter(({ reason }) => reason === 'owners').length,
    people: people.toSorted(most),
    channels: channels.toSorted(most),
    not_replayed: limits.map(({ rule, reason }) => ({ alert_rule_id: ruleIdOf(rule), alert_rule_name: rule.name, reason })),
    ...listed(world, sent),
  }
}

/** The same event for the same recipient at the same time; a new rule is the same as one of its name in the other set. */
function keyOf({ incident, atMs, reason, step, lane, heldUntilMs }: Sent): string {
  const { rule, target, openedAtMs } = incident
  const ruleKey = rule.changed === 'new' ? rule.name : rule.id
  return [ruleKey, target.id, openedAtMs, atMs, reason, step, lane.id, heldUntilMs].join(' ')
}

/** So many take some milliseconds. */
const AT_ONCE = 5_000

/** What only one of two sets sends, for each of them; `rest` is called now and then, so that other work goes on. */
export async function toDifference(
  world: World,
  [first, second]: readonly [SetResult, SetResult],
  rest: () => Promise<void>,
): Promise<ReplayDifference[]> {
  const keysOf = async ({ sent }: SetResult): Promise<Map<string, Sent>> => {
    const keys = new Map<string, Sent>()
    for (const [index, one] of sent.entries()) {
      if (index % AT_ONCE === 0) await rest()
      keys.set(keyOf(one), one)
    }
    return keys
  }
  const [left, right] = [await keysOf(first), await keysOf(second)]
  const only = async (own: ReadonlyMap<string, Sent>, other: ReadonlyMap<string, Sent>): Promise<ReplayDifference> => {
    await rest()
    const all = [...own].flatMap(([key, one]) => (other.has(key) ? [] : [one]))
    return { notifications: all.length, ...listed(world, all) }
  }
  return [await only(left, right), await only(right, left)]
}
