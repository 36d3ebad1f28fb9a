import { DAY_MS, MAX_ICAL_SHIFTS } from '@vedette/shared'
import type { StoredOverride } from '../../../platform/db/index.ts'
import { cutOut } from '../../../platform/time/spans.ts'
import { type PersonSpan, personSpansOf, togetherIn, type TogetherSpan } from './together.ts'
import type { CalendarDuty } from './duties.ts'

/** What is over stays for as long as the own feed of a schedule shows it. */
export const KEPT_MS = 31 * DAY_MS

interface Read {
  shifts: StoredOverride[]
  /** In words. */
  faults: string[]
}

/**
 * The shifts of a calendar from now on, after those that are over by what was read before. Events of a higher priority count before
 * others, those of one priority are on duty together. Pure.
 */
export function toShifts(
  duties: readonly CalendarDuty[],
  memberOf: (name: string) => string | undefined,
  before: readonly StoredOverride[],
  nowMs: number,
): Read {
  const unmatched = new Set<string>()
  const levels = Map.groupBy(duties, ({ priority }) => priority)
  let all: TogetherSpan[] = []
  for (const priority of [...levels.keys()].toSorted((one, other) => one - other)) {
    const people = (levels.get(priority) ?? []).flatMap(({ names, fromMs, toMs }) =>
      names.flatMap((name): PersonSpan[] => {
        const userId = memberOf(name)
        if (userId === undefined) unmatched.add(name)
        return userId === undefined || toMs <= nowMs ? [] : [{ userId, fromMs: Math.max(fromMs, nowMs), toMs }]
      }),
    )
    const above = togetherIn(people)
    all = [...cutOut(all, above), ...above].toSorted((one, other) => one.fromMs - other.fromMs)
  }
  const coming = personSpansOf(all)
  const kept = coming.slice(0, MAX_ICAL_SHIFTS)
  const past = before
    .filter(({ starts_at: from, ends_at: to }) => from < nowMs && to > nowMs - KEPT_MS)
    .map(({ user_id: userId, starts_at: fromMs, ends_at: toMs }) => ({ userIds: [userId], fromMs, toMs: Math.min(toMs, nowMs) }))
  const shifts = personSpansOf([...past, ...kept.map(({ userId, ...span }) => ({ ...span, userIds: [userId] }))])
  return {
    shifts: shifts.map(({ userId, fromMs, toMs }) => ({ user_id: userId, starts_at: fromMs, ends_at: toMs })),
    faults: [
      ...[...unmatched].map((name) => `it names ${JSON.stringify(name.slice(0, MAX_NAME))}, who is no member here`),
      ...(coming.length > kept.length ? [`it has ${coming.length} shifts, and the first ${kept.length} count`] : []),
    ],
  }
}

const MAX_NAME = 100
