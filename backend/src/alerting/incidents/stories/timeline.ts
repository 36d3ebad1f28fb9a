import { MAX_STORY_EVENTS, MINUTE_MS, type StoryEvent, type StoryEventKind, toTimestamp } from '@vedette/shared'

/** What happened to one incident, or around the story. */
export interface Occurrence {
  atMs: number
  kind: StoryEventKind
  text: string
  /** Null: of no single target. */
  targetName: string | null
  actor: string | null
  url: string | null
}

/** Steps of these kinds that many incidents take together are one entry. */
const TOGETHER: ReadonlySet<StoryEventKind> = new Set([
  'opened',
  'silenced',
  'unsilenced',
  'flapping',
  'stable',
  'acknowledged',
  'reopened',
  'resolved',
  'restart',
])
const MOST_NAMES = 3

interface Entry {
  first: Occurrence
  lastMs: number
  count: number
  names: string[]
}

/**
 * One line of time, the oldest first: what happens to many incidents within a minute of each other is one entry. Of too many the first
 * and the last stay, half of each. Pure.
 */
export function toTimeline(occurrences: readonly Occurrence[]): { events: StoryEvent[]; has_more: boolean } {
  const entries: Entry[] = []
  const lastOf = new Map<string, Entry>()
  for (const one of occurrences.toSorted((left, right) => left.atMs - right.atMs)) {
    const key = `${one.kind} ${one.actor ?? ''}`
    const last = TOGETHER.has(one.kind) ? lastOf.get(key) : undefined
    if (last && one.atMs - last.lastMs <= MINUTE_MS) {
      last.count += 1
      last.lastMs = one.atMs
      if (one.targetName !== null && last.names.length < MOST_NAMES && !last.names.includes(one.targetName))
        last.names.push(one.targetName)
      continue
    }
    const entry = { first: one, lastMs: one.atMs, count: 1, names: one.targetName === null ? [] : [one.targetName] }
    lastOf.set(key, entry)
    entries.push(entry)
  }
  const half = MAX_STORY_EVENTS / 2
  const hasMore = entries.length > MAX_STORY_EVENTS
  const kept = hasMore ? [...entries.slice(0, half), ...entries.slice(-half)] : entries
  return { events: kept.map(toEvent), has_more: hasMore }
}

const toEvent = ({ first: { atMs, kind, text, actor, url }, count, names }: Entry): StoryEvent => ({
  at: toTimestamp(atMs),
  kind,
  text,
  count,
  targets: names,
  actor,
  url,
})

/** `monitor.updated` → `Monitor updated`. Pure. */
export function changeText(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
