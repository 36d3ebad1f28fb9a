import { ESCALATION_WAIT_SECONDS, MAX_ESCALATION_REPEATS, MAX_ESCALATION_STEPS, MAX_STEP_RECIPIENTS } from '@vedette/shared'
import type { Notes } from './model.ts'

/** People and schedules that are notified together, and how long the next ones wait. */
export interface StepDraft {
  /** References of schedules, without their kind. */
  schedules: readonly string[]
  /** Ids of members. */
  users: readonly string[]
  waitSeconds: number
}

/** The steps of a policy as a spec has them; what differs is noted. Empty: nobody of it is here. Pure. */
export function toSteps(drafts: readonly StepDraft[], notes: Notes): Record<string, unknown>[] {
  const filled: { schedules: string[]; users: string[]; waitSeconds: number }[] = []
  for (const { schedules, users, waitSeconds } of drafts) {
    const last = filled.at(-1)
    if (schedules.length > 0 || users.length > 0)
      filled.push({ schedules: [...new Set(schedules)], users: [...new Set(users)], waitSeconds })
    // The times of the later steps stay.
    else if (last) last.waitSeconds += waitSeconds
  }
  if (filled.length > MAX_ESCALATION_STEPS)
    notes.losses.push(`it has ${filled.length} steps; the first ${MAX_ESCALATION_STEPS} of them come`)
  return filled.slice(0, MAX_ESCALATION_STEPS).map(({ schedules, users, waitSeconds }, index) => ({
    schedule_ids: fewer(schedules, 'schedules', index, notes).map((ref) => ({ ref: `schedule:${ref}` })),
    user_ids: fewer(users, 'people', index, notes),
    wait_seconds: waitOf(waitSeconds, index, notes),
  }))
}

function fewer(all: readonly string[], noun: string, index: number, notes: Notes): string[] {
  if (all.length > MAX_STEP_RECIPIENTS)
    notes.losses.push(`step ${index + 1} notifies ${all.length} ${noun}; the first ${MAX_STEP_RECIPIENTS} of them come`)
  return all.slice(0, MAX_STEP_RECIPIENTS)
}

function waitOf(seconds: number, index: number, notes: Notes): number {
  const { minimum, maximum } = ESCALATION_WAIT_SECONDS
  const within = Math.min(Math.max(Math.round(seconds), minimum), maximum)
  if (within !== seconds) notes.changes.push(`step ${index + 1} waits ${within} s in place of ${seconds} s`)
  return within
}

/** The repetitions of a policy; what is too many is noted. */
export function repeatsOf(count: number, notes: Notes): number {
  if (count > MAX_ESCALATION_REPEATS) notes.changes.push(`it is repeated ${MAX_ESCALATION_REPEATS} times in place of ${count}`)
  return Math.min(Math.max(Math.trunc(count) || 0, 0), MAX_ESCALATION_REPEATS)
}
