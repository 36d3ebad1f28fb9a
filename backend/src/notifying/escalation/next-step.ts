import { spanAt } from '../../platform/time/spans.ts'
import { hoursIn } from '../../platform/time/weekly-hours.ts'
import type { PolicyRow, StoredStep } from './store.ts'

export type Policy = Pick<PolicyRow, 'time_zone' | 'steps' | 'repeats'>

/** A step over all repeats. */
export interface DueStep {
  /** From 0. */
  number: number
  step: StoredStep
}

/** Whether a step is taken at an instant. Pure. */
export function isActive(
  { time_zone: timeZone }: Pick<Policy, 'time_zone'>,
  { restrictions }: StoredStep,
  atMs: number,
): boolean {
  const hours = () => hoursIn(timeZone, restrictions, { fromMs: atMs, toMs: atMs + 1 })
  return restrictions.length === 0 || spanAt(hours(), atMs) !== undefined
}

const totalOf = ({ steps, repeats }: Policy): number => steps.length * (repeats + 1)

/** The first step from this number on that is taken at an instant; undefined: all are done. Pure. */
export function nextStep(policy: Policy, from: number, atMs: number): DueStep | undefined {
  for (let number = from; number < totalOf(policy); number += 1) {
    const step = policy.steps[number % policy.steps.length] as StoredStep
    if (isActive(policy, step, atMs)) return { number, step }
  }
  return undefined
}

/** When the step after this one is due, ms; undefined: there is none. Pure. */
export const dueAfter = (policy: Policy, { number, step }: DueStep, atMs: number): number | undefined =>
  number + 1 < totalOf(policy) ? atMs + step.wait_seconds * 1000 : undefined
