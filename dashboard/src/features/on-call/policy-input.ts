import type { CreateEscalationPolicyBody, EscalationPolicy, EscalationStep } from '@vedette/shared'
import { ESCALATION_WAIT_SECONDS } from '@vedette/shared/tables'
import { parseDuration, typedDuration } from '../../lib/format.ts'
import { newKey } from '../../lib/rows.ts'
import { type HoursInput, toHoursInput, toRestriction } from '../../lib/hours.ts'

export interface StepInput {
  key: number
  people: readonly string[]
  schedules: readonly string[]
  channels: readonly string[]
  /** As it is typed: `5 min`. */
  wait: string
  hours: readonly HoursInput[]
}

export interface PolicyInput {
  name: string
  zone: string
  steps: readonly StepInput[]
  repeats: string
  /** A duration as it is typed; empty: never. */
  reopen: string
  tags: readonly string[]
}

export const newStep = (): StepInput => ({
  key: newKey(),
  people: [],
  schedules: [],
  channels: [],
  wait: typedDuration(ESCALATION_WAIT_SECONDS.default),
  hours: [],
})

export const newPolicy = (zone: string): PolicyInput => ({
  name: '',
  zone,
  steps: [newStep()],
  repeats: '0',
  reopen: '',
  tags: [],
})

const toStepInput = (step: EscalationStep): StepInput => ({
  key: newKey(),
  people: step.user_ids,
  schedules: step.schedule_ids,
  channels: step.channel_ids,
  wait: typedDuration(step.wait_seconds),
  hours: step.restrictions.map(toHoursInput),
})

export const toPolicyInput = (policy: EscalationPolicy): PolicyInput => ({
  name: policy.name,
  zone: policy.time_zone,
  steps: policy.steps.map(toStepInput),
  repeats: String(policy.repeats),
  reopen: policy.reopen_seconds === null ? '' : typedDuration(policy.reopen_seconds),
  tags: policy.tags,
})

export const toPolicyBody = ({ name, zone, steps, repeats, reopen, tags }: PolicyInput): CreateEscalationPolicyBody => ({
  name: name.trim(),
  time_zone: zone,
  steps: steps.map((step) => ({
    user_ids: [...step.people],
    schedule_ids: [...step.schedules],
    channel_ids: [...step.channels],
    wait_seconds: parseDuration(step.wait),
    restrictions: step.hours.map(toRestriction),
  })),
  // Nothing typed is no number, not 0.
  repeats: repeats.trim() === '' ? Number.NaN : Number(repeats),
  reopen_seconds: reopen.trim() === '' ? null : parseDuration(reopen),
  tags: [...tags],
})
