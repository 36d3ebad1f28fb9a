import type { CreateSloBody, Slo } from '@vedette/shared'
import { BURN_ALERT_NAMES, type BurnAlert, type SloKind, type SloWindow } from '@vedette/shared/tables'
import { missingTarget, type TargetInput, toTarget, toTargetInput } from '../../lib/alert-target.ts'

/** An SLO while it is edited: numbers as they are typed. */
export interface SloInput {
  name: string
  target: TargetInput
  kind: SloKind
  threshold: string
  objective: string
  window: SloWindow
  zone: string
  alerts: readonly BurnAlert[]
  channels: readonly string[]
  /** Id of the escalation policy; empty: the channels are notified. */
  policy: string
}

export const newSlo = (zone: string): SloInput => ({
  name: '',
  target: { type: 'monitor', scope: 'single', tag: '', id: undefined },
  kind: 'availability',
  threshold: '500',
  objective: '99.9',
  window: '30d',
  zone,
  alerts: BURN_ALERT_NAMES,
  channels: [],
  policy: '',
})

export const toSloInput = (slo: Slo): SloInput => ({
  name: slo.name,
  target: toTargetInput({ type: 'monitor', ...slo.target }),
  kind: slo.kind,
  threshold: String(slo.threshold_ms ?? 500),
  objective: String(slo.objective),
  window: slo.window,
  zone: slo.time_zone,
  alerts: slo.burn_alerts,
  channels: slo.channel_ids,
  policy: slo.escalation_policy_id ?? '',
})

export const isCalendar = ({ window }: Pick<Slo, 'window'>): boolean => window === 'month' || window === 'quarter'

export function toSloBody(input: SloInput): CreateSloBody {
  const { id, tag } = toTarget(input.target)
  return {
    name: input.name.trim(),
    target: { id, tag },
    kind: input.kind,
    threshold_ms: input.kind === 'latency' && input.threshold.trim() !== '' ? Number(input.threshold) : null,
    // Nothing typed is no number, not 0.
    objective: input.objective.trim() === '' ? Number.NaN : Number(input.objective),
    window: input.window,
    time_zone: input.zone,
    burn_alerts: BURN_ALERT_NAMES.filter((name) => input.alerts.includes(name)),
    // A policy has its own.
    channel_ids: input.policy === '' ? [...input.channels] : [],
    escalation_policy_id: input.policy === '' ? null : input.policy,
  }
}

/** What the schema does not see: it allows no threshold. */
export const missingFields = (input: SloInput): string[] => [
  ...missingTarget(input),
  ...(input.kind === 'latency' && input.threshold.trim() === '' ? ['threshold_ms'] : []),
]
