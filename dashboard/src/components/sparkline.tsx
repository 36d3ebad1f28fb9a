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
  // Runs share a path each for line and area, since a page can have a hundred of them.
  const lineOf = (run: Point[]) =>
    run.map(({ index, value }, position) => `${position === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('')
  const areaOf = (run: Point[]) => `${lineOf(run)}L${x(run.at(-1)?.index ?? 0)} ${HEIGHT}L${x(run[0]?.index ?? 0)} ${HEIGHT}Z`
  const [lines, points] = [runs.filter((run) => run.length > 1), runs.flatMap((run) => (run.length === 1 ? run : []))]
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`h-6 w-24 overflow-visible ${className}`}
    >
      {lines.length > 0 && (
        <>
          <path d={lines.map(areaOf).join('')} fill="currentColor" opacity="0.12" />
          <path
            d={lines.map(lineOf).join('')}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
      {points.map(({ index, value }) => (
        <circle key={index} cx={x(index)} cy={y(value)} r="1.4" fill="currentColor" />
      ))}
    </svg>
  )
}
