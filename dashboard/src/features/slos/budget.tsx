import type { SloDetails } from '@vedette/shared'
import { StatusBadge } from '../../components/status.tsx'
import { slos } from '../../messages/slos.ts'
import { budgetText } from './figures.ts'
import { type SloState, stateOf } from './state.ts'

const text = slos

/** Less than this is shown as a warning, %. */
const LOW_PERCENT = 25

/** The status whose mark and colours a state has. */
const STATUSES: Readonly<Record<SloState, string>> = {
  met: 'up',
  burning: 'warning',
  exceeded: 'critical',
  no_checks: 'inconclusive',
}

export function SloBadge({ slo }: { slo: SloDetails }) {
  const state = stateOf(slo)
  return <StatusBadge status={STATUSES[state]} label={text.states[state]} />
}

const toneOf = (left: number): string => {
  if (left <= 0) return 'fill-bad-bar'
  return left < LOW_PERCENT ? 'fill-warn-bar' : 'fill-good-bar'
}

/** What is left of the budget, as a bar over the full width; the whole bar in red where it is exceeded. */
export function BudgetBar({ left }: { left: number | null }) {
  return (
    <svg
      role="img"
      aria-label={`${text.budgetLeft}: ${budgetText(left)}`}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      className="h-1.5 w-full"
    >
      <rect width="100" height="6" className="fill-idle-ground" />
      {left !== null && <rect width={left <= 0 ? 100 : Math.max(left, 1)} height="6" className={toneOf(left)} />}
    </svg>
  )
}
