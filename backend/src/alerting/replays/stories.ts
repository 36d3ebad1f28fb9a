import { saysTheSame, subjectsOf } from '../incidents/index.ts'
import type { ReplayedIncident } from './model.ts'

/**
 * The incidents of a set that are notified together, each story the oldest first: servers that fell silent behind one tag, as it was,
 * and rules that say the same of one target, or windows of one SLO, that are open at the same time. Pure.
 */
export function storiesOf<Member extends { incident: ReplayedIncident }>(members: readonly Member[]): Member[][] {
  const ordered = members.toSorted((one, other) => one.incident.openedAtMs - other.incident.openedAtMs)
  return [...Map.groupBy(ordered, ({ incident: { storyId, target } }) => storyId ?? target.id).values()].flatMap((some) =>
    some[0]?.incident.storyId === null ? splitBySubject(some) : [some],
  )
}

interface Story<Member> {
  members: Member[]
  /** Of those that are open, with when each ends. */
  open: { subjects: readonly string[]; endMs: number }[]
}

/** One that opens joins all open ones that say the same. */
function splitBySubject<Member extends { incident: ReplayedIncident }>(ordered: readonly Member[]): Member[][] {
  const ended: Member[][] = []
  let current: Story<Member>[] = []
  for (const member of ordered) {
    const { rule, target, openedAtMs, resolvedAtMs, evidence } = member.incident
    for (const story of current) story.open = story.open.filter(({ endMs }) => endMs > openedAtMs)
    ended.push(...current.flatMap(({ members, open }) => (open.length === 0 ? [members] : [])))
    const subjects = rule.target_type === 'slo' ? [target.id] : subjectsOf(rule, evidence)
    const isSame = ({ open }: Story<Member>) => open.some((one) => saysTheSame(one.subjects, subjects))
    const [same, others] = [current.filter(isSame), current.filter((story) => story.open.length > 0 && !isSame(story))]
    const open = [...same.flatMap((story) => story.open), { subjects, endMs: resolvedAtMs ?? Infinity }]
    const joined = [...same.flatMap(({ members }) => members), member]
    const byTime = (one: Member, other: Member) => one.incident.openedAtMs - other.incident.openedAtMs
    current = [...others, { members: joined.toSorted(byTime), open }]
  }
  return [...ended, ...current.map(({ members }) => members)]
}
