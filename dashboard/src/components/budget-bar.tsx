import { budgetText } from '../lib/budget-text.ts'
import { slos } from '../messages/slos.ts'

/** Less than this is shown as a warning, %. */
const LOW_PERCENT = 25

const toneOf = (left: number): string => {
  if (left <= 0) return 'fill-bad-bar'
  return left < LOW_PERCENT ? 'fill-warn-bar' : 'fill-good-bar'
}

/** What is left of the budget, as a bar over the full width; the whole bar in red where it is exceeded. */
export function BudgetBar({ left }: { left: number | null }) {
  return (
    <svg
      role="img"
      aria-label={`${slos.budgetLeft}: ${budgetText(left)}`}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      className="h-1.5 w-full"
    >
      <rect width="100" height="6" className="fill-idle-ground" />
      {left !== null && <rect width={left <= 0 ? 100 : Math.max(left, 1)} height="6" className={toneOf(left)} />}
    </svg>
  )
}
