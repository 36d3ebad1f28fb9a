import { DAY_MS, type QuietTime, type Severity, WEEKDAYS } from '@vedette/shared'
import { spanAt } from '../../../platform/time/spans.ts'
import { hoursIn } from '../../../platform/time/weekly-hours.ts'

/** When the quiet time at an instant ends; undefined where an incident of this severity is notified at once. Pure. */
export function quietUntil(quiet: QuietTime, severity: Severity, atMs: number): number | undefined {
  if (severity === 'critical' && quiet.critical_passes) return undefined
  const days = [...WEEKDAYS]
  const spans = hoursIn(quiet.time_zone, [{ days, from: quiet.from, to: quiet.to }], { fromMs: atMs, toMs: atMs + DAY_MS })
  return spanAt(spans, atMs)?.toMs
}
