import type { Clock } from '../../../platform/time/clock.ts'

export const KEPT_MS = 10_000
const MAX_KEPT = 100
/** A longer list is read again: it would be memory that nobody uses. */
const MAX_ITEMS = 20_000

/** Reads once for all who want to know the same within ten seconds: a dashboard asks for the values of each of its variables. */
export type KeptAnswers<Item> = (question: string, read: () => Promise<readonly Item[]>) => Promise<readonly Item[]>

export function createKeptAnswers<Item>(clock: Pick<Clock, 'now'>): KeptAnswers<Item> {
  const kept = new Map<string, { untilMs: number; answer: Promise<readonly Item[]> }>()
  return (question, read) => {
    const nowMs = clock.now()
    for (const [key, { untilMs }] of kept) if (untilMs <= nowMs || kept.size >= MAX_KEPT) kept.delete(key)
    const known = kept.get(question)
    if (known) return known.answer
    const answer = read()
    kept.set(question, { untilMs: nowMs + KEPT_MS, answer })
    answer.then(
      ({ length }) => length > MAX_ITEMS && kept.delete(question),
      () => kept.delete(question),
    )
    return answer
  }
}
