import type { MonitorStats } from '@vedette/shared'
import { CHECK_PHASES, type CheckPhase } from '@vedette/shared/tables'
import type { Line } from '../../components/chart/types.ts'
import { messages } from '../../messages/index.ts'

type Phases = NonNullable<NonNullable<MonitorStats['series']>['phases']>

const COLORS: Readonly<Record<CheckPhase, Line['color']>> = { dns: 6, connect: 2, tls: 4, first_byte: 1, transfer: 3 }

/**
 * The phases on top of each other: each line is the sum up to its phase, drawn from the largest to the smallest. Those that never happened,
 * which the API counts as 0, are left out; without a check any may happen. One alone is the response time again, as that of a ping.
 */
export function phaseLines(phases: Phases): Line[] {
  const have = (isSome: (value: number | null) => boolean) => (phase: CheckPhase) => phases[`${phase}_ms`].some(isSome)
  const happened = CHECK_PHASES.filter(have((value) => value !== null && value > 0))
  const shown = CHECK_PHASES.some(have((value) => value !== null)) ? happened : CHECK_PHASES
  if (shown.length === 1) return []
  let below: Line['values'] | undefined
  return shown
    .map((phase): Line => {
      const figures = phases[`${phase}_ms`]
      const values = figures.map((value, index) => (value === null ? null : value + (below?.[index] ?? 0)))
      below = values
      return { label: messages.monitors.phases[phase] ?? phase, color: COLORS[phase], values, figures, solid: true }
    })
    .toReversed()
}
