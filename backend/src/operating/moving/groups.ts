import { MAX_SCHEDULE_LAYERS } from '@vedette/shared'
import type { Rotation } from './layers.ts'
import type { Notes } from './model.ts'
import { overlaps } from './restrictions.ts'

const meet = (one: Rotation, other: Rotation): boolean =>
  one.startMs < (other.endMs ?? Infinity) && other.startMs < (one.endMs ?? Infinity) && overlaps(one.spans, other.spans)

/**
 * Rotations that are all on duty at the source, as schedules here: those that never have somebody on duty at the same time are layers
 * of one. At least one group, which may be empty. Pure.
 */
export function groupsOf<One extends { rotation: Rotation }>(all: readonly One[]): One[][] {
  const groups: One[][] = []
  for (const one of all) {
    const group = groups.find(
      (others) => others.length < MAX_SCHEDULE_LAYERS && !others.some((other) => meet(one.rotation, other.rotation)),
    )
    if (group) group.push(one)
    else groups.push([one])
  }
  return groups.length === 0 ? [[]] : groups
}

/** The same people are notified: who has several schedules is said, as their steps name all of them. */
export function noteGroups(names: readonly string[], notes: Notes): void {
  if (names.length > 1)
    notes.remarks.push(
      `rotations that are on duty at the same time are ${names.length} schedules: ${names.join(', ')}; steps of policies name all of them`,
    )
}
