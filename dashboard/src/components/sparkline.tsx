import { type Point, segmentsOf } from '../lib/segments.ts'

interface Props {
  values: readonly (number | null)[]
  /** The value at the top; by default the greatest one. */
  max?: number | undefined
  label: string
  className?: string
}

const WIDTH = 96
const HEIGHT = 24

/** A small line without axes; null is a gap. */
export function Sparkline({ values, max, label, className = 'text-chart-1' }: Props) {
  const top = max ?? Math.max(1, ...values.map((value) => value ?? 0)) * 1.1
  const step = WIDTH / Math.max(1, values.length - 1)
  const x = (index: number) => (index * step).toFixed(1)
  const y = (value: number) => (HEIGHT - 1.5 - (Math.min(value, top) / top) * (HEIGHT - 3)).toFixed(1)
  const runs = segmentsOf(values)
  const line = (run: Point[]) =>
    run.map(({ index, value }, position) => `${position === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`h-6 w-24 overflow-visible ${className}`}
    >
      {runs.map((run) => {
        const first = run[0] as Point
        const last = run.at(-1) as Point
        if (run.length === 1)
          return <circle key={first.index} cx={x(first.index)} cy={y(first.value)} r="1.4" fill="currentColor" />
        return (
          <g key={first.index}>
            <path d={`${line(run)}L${x(last.index)} ${HEIGHT}L${x(first.index)} ${HEIGHT}Z`} fill="currentColor" opacity="0.12" />
            <path
              d={line(run)}
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
            />
          </g>
        )
      })}
    </svg>
  )
}
