import { percent } from '../lib/format.ts'

/** Where a bar turns to the warning and to the critical colour. */
const HIGH_PERCENT = 75
const FULL_PERCENT = 90

const toneOf = (value: number): string => {
  if (value >= FULL_PERCENT) return 'fill-bad-bar'
  return value >= HIGH_PERCENT ? 'fill-warn-bar' : 'fill-chart-1'
}

interface Props {
  value: number | null | undefined
  label: string
  /** The bar alone, over the full width. */
  wide?: boolean
  /** Puts the number above the bar on narrow screens. */
  stacks?: boolean
}

/** A percentage as a number and a bar. */
export function Meter({ value, label, wide = false, stacks = false }: Props) {
  const width = value ?? undefined
  const size = wide ? 'w-full' : stacks ? 'w-16 max-md:w-full' : 'w-16'
  return (
    <span
      className={`flex items-center gap-2 ${wide ? 'w-full' : ''} ${stacks ? 'max-md:w-full max-md:flex-col max-md:items-start max-md:gap-0.5' : ''}`}
    >
      {!wide && (
        <span className={`w-15 whitespace-nowrap text-right ${stacks ? 'max-md:text-left max-md:font-medium' : ''}`}>
          {percent(value)}
        </span>
      )}
      <svg
        role="img"
        aria-label={`${label} ${percent(value)}`}
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        className={`h-1.5 ${size}`}
      >
        <rect width="100" height="6" rx="3" className="fill-idle-ground" />
        {width !== undefined && <rect width={Math.max(width, width > 0 ? 1.5 : 0)} height="6" rx="3" className={toneOf(width)} />}
      </svg>
    </span>
  )
}
