import type { ReplayedIncident } from './model.ts'

/**
 * The incidents of a set that are notified together, each story the oldest first: servers that fell silent behind one tag, as it was,
 * and rules that say the same of one target, or windows of one SLO, that are open at the same time. Pure.
 */
export function storiesOf<Member extends { incident: ReplayedIncident }>(members: readonly Member[]): Member[][] {
  const ordered = members.toSorted((one, other) => one.incident.openedAtMs - other.incident.openedAtMs)
  return [...Map.groupBy(ordered, ({ incident }) => incident.storyId ?? subjectOf(incident)).values()].flatMap((same) =>
    same[0]?.incident.storyId === null ? splitWhereNoneIsOpen(same) : [same],
  )
}

function subjectOf({ rule, target }: ReplayedIncident): string {
  const { target_type: type, metric, operator, mount, entity_name: entity } = rule
  return type === 'slo' ? target.id : JSON.stringify([target.id, metric, operator, mount, entity])
}

function splitWhereNoneIsOpen<Member extends { incident: ReplayedIncident }>(ordered: readonly Member[]): Member[][] {
  const stories: Member[][] = []
  let endMs = -Infinity
  for (const member of ordered) {
    const { openedAtMs, resolvedAtMs } = member.incident
    if (openedAtMs < endMs) stories.at(-1)?.push(member)
    else stories.push([member])
    endMs = Math.max(openedAtMs < endMs ? endMs : -Infinity, resolvedAtMs ?? Infinity)
  }
  return stories
}
