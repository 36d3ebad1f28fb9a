// What is decided of an incident's policy and of its steps, for incidents and for replays. All of it is pure.

export interface PolicyFacts {
  /** The policy that the rule names. */
  ofRule: string | null
  /** The policy that a route of the sender of an alert names; it counts before all others where it is there. */
  ofRoute?: string | undefined
  /** Of the monitor or server. */
  tags: readonly string[]
}

/** The policy of the rule; else the oldest one with a tag of the monitor or server. `policies`: the oldest first. */
export function choosePolicy<Policy extends { id: string; tags: readonly string[] }>(
  policies: readonly Policy[],
  { ofRule, ofRoute, tags }: PolicyFacts,
): Policy | undefined {
  const routed = ofRoute === undefined ? undefined : policies.find(({ id }) => id === ofRoute)
  if (routed) return routed
  if (ofRule !== null) return policies.find(({ id }) => id === ofRule)
  return policies.find((policy) => policy.tags.some((tag) => tags.includes(tag)))
}

export interface StepFacts {
  isMember(userId: string): boolean
  /** Who is on duty in the schedules of the step. */
  onDuty: readonly string[]
  /** Whether nobody is on duty in one of them. */
  hasGap: boolean
}

/** Whom a step names; the owners as well where nobody is on duty, or where it names nobody any more. */
export function choosePeople(
  { user_ids: userIds, channel_ids: channelIds }: { user_ids: readonly string[]; channel_ids: readonly string[] },
  { isMember, onDuty, hasGap }: StepFacts,
): { named: string[]; needsOwners: boolean } {
  const named = [...new Set([...userIds.filter(isMember), ...onDuty])]
  return { named, needsOwners: hasGap || named.length + channelIds.length === 0 }
}
