import type { RuleColumns } from '../rules/rule.ts'
import { CLOSED, evaluate } from './evaluate.ts'

/** An incident that a reading opens or resolves. */
export interface Transition<Reading> {
  result: 'opened' | 'resolved'
  reading: Reading
}

/**
 * Evaluates a rule without a duration on readings, the oldest first: each of them opens or resolves, as if it had come alone. So it
 * does not matter which of them are evaluated together. An unknown value (undefined) changes nothing. Pure.
 */
export function evaluateReadings<Reading extends { value: number | undefined }>(
  rule: Pick<RuleColumns, 'operator' | 'value' | 'clear_value'>,
  wasOpen: boolean,
  readings: readonly Reading[],
): { isOpen: boolean; transitions: Transition<Reading>[] } {
  const transitions: Transition<Reading>[] = []
  let state = { ...CLOSED, isOpen: wasOpen }
  for (const reading of readings) {
    const evaluated = evaluate({ ...rule, for_seconds: 0 }, { ...CLOSED, isOpen: state.isOpen }, reading.value, 0)
    state = evaluated.state
    if (evaluated.result) transitions.push({ result: evaluated.result, reading })
  }
  return { isOpen: state.isOpen, transitions }
}

/**
 * The readings that a rule is evaluated on, of all that are new: those received since its definition, or the newest one. A definition
 * in the future, of a clock that was ahead of ours, holds nothing back. Pure.
 */
export function readingsSince<Reading extends { receivedAtMs: number }>(
  definedAtMs: number,
  readings: readonly Reading[],
  nowMs: number,
): readonly Reading[] {
  if (definedAtMs > nowMs) return readings
  const own = readings.filter(({ receivedAtMs }) => receivedAtMs >= definedAtMs)
  return own.length > 0 ? own : readings.slice(-1)
}

/** At most so far apart are the clocks of instances. */
const CLOCKS_DIFFER_MS = 10_000

/**
 * Not before the push was received, by an instance whose clock is ahead of ours: who evaluates it again must find the change after it. A
 * receipt far ahead is of a clock that was wrong. Pure.
 */
export function changedAt(nowMs: number, receivedAtMs: number | undefined): number {
  const isAhead = receivedAtMs !== undefined && receivedAtMs > nowMs && receivedAtMs <= nowMs + CLOCKS_DIFFER_MS
  return isAhead ? receivedAtMs : nowMs
}
