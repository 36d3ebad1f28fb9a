import type { Slo } from '@vedette/shared'
import { TargetLabel } from '../../components/target-fields.tsx'
import { milliseconds } from '../../lib/format.ts'
import { slos } from '../../messages/slos.ts'
import { share } from './figures.ts'
import { isCalendar } from './input.ts'

const text = slos

/** `99.9 % of checks not down · Last 30 days · monitors tagged shop`. */
export function Goal({ slo }: { slo: Slo }) {
  const objective = share(slo.objective)
  return (
    <>
      {slo.kind === 'latency' ? text.goal.latency(objective, milliseconds(slo.threshold_ms)) : text.goal.availability(objective)}
      {' · '}
      {text.windows[slo.window]}
      {isCalendar(slo) && ` (${slo.time_zone})`}
      {' · '}
      <TargetLabel target={{ type: 'monitor', ...slo.target }} />
    </>
  )
}
