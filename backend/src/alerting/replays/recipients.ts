import { offsetMs } from '@vedette/shared'
import { choosePeople, type PolicyRow } from '../../notifying/escalation/index.ts'
import { quietUntil } from '../../notifying/notifications/index.ts'
import { type Shift, shiftsAt, shiftsIn } from '../../notifying/on-call/index.ts'
import type { Channel, Lane, Person, ReplayRule, RuleSet, World } from './model.ts'

type Step = PolicyRow['steps'][number]

/** Whom a step reaches. */
export interface Reached {
  lanes: Lane[]
  /** The owners are among them, as nobody is on duty or can be reached. */
  toOwners: boolean
}

const NIGHT = { from: 22, to: 7 }

export async function createRecipients(world: World, set: RuleSet, rest: () => Promise<void>) {
  const { people, channels, fromMs, toMs } = world
  const shifts = new Map<string, Shift[]>()
  for (const schedule of set.schedules) {
    await rest()
    shifts.set(
      schedule.id,
      shiftsIn(schedule, { fromMs, toMs: toMs + 1 }, (id) => people.has(id)),
    )
  }
  const owners = [...people.values()].filter((one) => one.is_owner)
  const lanesOf = new Map([...people].map(([id, person]) => [id, lanesOfPerson(person, channels)]))
  const reach = (all: readonly Person[]): Lane[] => all.flatMap(({ user_id: id }) => lanesOf.get(id) ?? [])
  const accepts = (channel: Channel | undefined, type: string): channel is Channel =>
    channel !== undefined && channel.enabled && (channel.events === null || channel.events.includes(type))
  const channelLanes = (ids: readonly string[], type: string): Lane[] =>
    ids.flatMap((id) => {
      const channel = channels.get(id)
      return accepts(channel, type) && channel.user_id === null ? [toLane(channel)] : []
    })

  function stepOf(step: Step, atMs: number): Reached {
    const onDuty = step.schedule_ids.flatMap((id) => {
      const own = shifts.get(id)
      return own ? [shiftsAt(own, atMs).map(({ userId }) => userId)] : []
    })
    const { named, needsOwners } = choosePeople(step, {
      isMember: (id) => people.has(id),
      onDuty: onDuty.flat(),
      hasGap: onDuty.some((people) => people.length === 0),
    })
    const ids = new Set([...named, ...(needsOwners ? owners.map(({ user_id: id }) => id) : [])])
    const lanes = [...channelLanes(step.channel_ids, 'incident.opened'), ...reach([...ids].flatMap((id) => people.get(id) ?? []))]
    return lanes.length > 0 ? { lanes, toOwners: needsOwners } : { lanes: reach(owners), toOwners: true }
  }

  return {
    stepOf,
    /** Of a rule without a policy: its channels, and the browsers of all members. */
    ofRule: ({ channel_ids: ids }: ReplayRule): Lane[] => [
      ...channelLanes(ids, 'incident.opened'),
      ...[...lanesOf.values()].flat().filter(({ via }) => via === 'browser'),
    ],
    /** Those of these that receive a later event of the incident. */
    receiving: (lanes: readonly Lane[], type: string): Lane[] =>
      lanes.filter((lane) => lane.channel === undefined || accepts(lane.channel, type)),
    heldUntil: ({ userId }: Lane, { severity }: ReplayRule, atMs: number): number | null => {
      const quiet = userId === null ? undefined : set.quietTimes.get(userId)
      return (quiet && quietUntil(quiet, severity, atMs)) ?? null
    },
    isAtNight: ({ userId }: Lane, policy: PolicyRow | undefined, atMs: number): boolean => {
      if (userId === null) return false
      const zone = set.quietTimes.get(userId)?.time_zone ?? policy?.time_zone ?? 'UTC'
      const hour = new Date(atMs + offsetMs(zone, atMs)).getUTCHours()
      return hour >= NIGHT.from || hour < NIGHT.to
    },
  }
}

const toLane = (channel: Channel): Lane => ({ id: channel.id, userId: channel.user_id, channel, via: channel.type })

/** Who has no contact method gets one for the verified e-mail of the account. */
function lanesOfPerson(person: Person, channels: ReadonlyMap<string, Channel>): Lane[] {
  if (person.is_refused) return []
  const { user_id: userId, channel_ids: ids, browser_ids: browsers } = person
  const contacts = ids.flatMap((id) => channels.get(id) ?? []).map(toLane)
  const mail = { id: `email ${userId}`, userId, channel: undefined, via: 'email' }
  return [
    ...(ids.length === 0 && person.is_verified ? [mail] : contacts),
    ...browsers.map((id) => ({ id, userId, channel: undefined, via: 'browser' })),
  ]
}
