import type { IncidentCause } from '@vedette/shared'

// An incident that opens belongs to the story of others with the same cause:
// 1. Servers that fall silent within a minute and share a tag, once most servers with the tag are silent.
// 2. Rules that say the same of one target, and the windows of one SLO.
// 3. What depends on a target that has an open incident.

/** Fewer silent servers are a coincidence. */
const MIN_SILENT_SERVERS = 3

/** An open incident that may have the same cause. */
export interface RelatedIncident {
  incidentId: string
  /** Null: it is alone. */
  storyId: string | null
  targetName: string
}

/** A tag of the server that fell silent. */
export interface SharedTag {
  tag: string
  /** All servers with the tag, without those that were silent before. */
  servers: number
  /** Those of them that are silent, the one that opens included. */
  silent: number
  /** The open story of the tag. */
  storyId: string | null
}

export interface RelatedFacts {
  isSlo: boolean
  targetName: string
  /** The oldest first. */
  sameTarget: readonly RelatedIncident[]
  parent: RelatedIncident | undefined
  /** Empty where the incident is not about a silent server. */
  tags: readonly SharedTag[]
}

export interface ChosenStory {
  cause: IncidentCause
  /** The open story that it joins; null: it begins one with the others. */
  storyId: string | null
  /** The others that are not in it as they should be; of a shared tag they are read by the tag. */
  incidentIds: readonly string[]
  tag: string | null
}

/** The story that an incident joins as it opens; undefined: it is alone. Pure. */
export function chooseStory({ isSlo, targetName, sameTarget, parent, tags }: RelatedFacts): ChosenStory | undefined {
  const tag = chooseTag(tags)
  if (tag)
    return {
      cause: { kind: 'shared_tag', text: `servers with the tag ${tag.tag} are offline` },
      storyId: tag.storyId,
      incidentIds: [],
      tag: tag.tag,
    }
  if (sameTarget.length > 0) {
    const cause = isSlo
      ? ({ kind: 'slo', text: `the error budget of ${targetName} burns too fast` } as const)
      : ({ kind: 'same_target', text: `several rules on ${targetName}` } as const)
    const storyId = sameTarget.find((one) => one.storyId !== null)?.storyId ?? null
    return { cause, storyId, incidentIds: sameTarget.map(({ incidentId }) => incidentId), tag: null }
  }
  if (!parent) return undefined
  const cause = { kind: 'parent', text: `what depends on ${parent.targetName}` } as const
  return { cause, storyId: parent.storyId, incidentIds: parent.storyId === null ? [parent.incidentId] : [], tag: null }
}

/** The tag that explains the silence best: that of an open story, then the one with the largest part of its servers silent. */
function chooseTag(tags: readonly SharedTag[]): SharedTag | undefined {
  const explaining = tags.filter(({ servers, silent }) => silent >= MIN_SILENT_SERVERS && silent * 2 > servers)
  return explaining.toSorted(
    (one, other) =>
      Number(other.storyId !== null) - Number(one.storyId !== null) ||
      other.silent / other.servers - one.silent / one.servers ||
      other.silent - one.silent ||
      (one.tag < other.tag ? -1 : 1),
  )[0]
}
