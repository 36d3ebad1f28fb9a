import type { BurnRate, Slo, SloDetails } from '@vedette/shared'
import { BURN_ALERTS } from '@vedette/shared/tables'

/** `exceeded`: more bad checks than allowed; `burning`: within the budget, but faster than an alert allows. */
export type SloState = 'met' | 'burning' | 'exceeded' | 'no_checks'

/** Whether the long window of an alert that is on burns too fast, and has enough checks to decide. */
export const isTooFast = ({ window, burn_rate: rate, too_few_checks: tooFew }: BurnRate, { burn_alerts: on }: Slo): boolean =>
  on.includes(window) && !tooFew && rate !== null && rate > BURN_ALERTS[window].factor

export function stateOf(slo: SloDetails): SloState {
  const { budget_left_percent: left, burn_rates: rates } = slo.status
  if (left === null) return 'no_checks'
  if (left < 0) return 'exceeded'
  return rates.some((rate) => isTooFast(rate, slo)) ? 'burning' : 'met'
}
