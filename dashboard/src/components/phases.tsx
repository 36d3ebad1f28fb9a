import { CHECK_PHASES } from '@vedette/shared/tables'
import { milliseconds } from '../lib/format.ts'
import { type PhaseTimes, spansOf } from '../lib/phases.ts'
import { messages } from '../messages/index.ts'

const FILLS = ['fill-chart-6', 'fill-chart-2', 'fill-chart-4', 'fill-chart-1', 'fill-chart-3'] as const
const names = messages.monitors.phases

/** The phases of a check after each other in one thin bar; nothing where none is known. */
export function PhaseBar({ times, most }: { times: PhaseTimes; most: number }) {
  const label = CHECK_PHASES.filter((phase) => times[`${phase}_ms`] !== null)
    .map((phase) => `${names[phase]} ${milliseconds(times[`${phase}_ms`])}`)
    .join(', ')
  if (label === '') return null
  return (
    <svg role="img" aria-label={label} viewBox="0 0 100 8" preserveAspectRatio="none" className="h-2 w-full">
      <title>{label}</title>
      {spansOf(times).map(({ phase, start, length }) => (
        <rect
          key={phase}
          x={(start / most) * 100}
          width={Math.max((length / most) * 100, 0.4)}
          height="8"
          className={FILLS[CHECK_PHASES.indexOf(phase)]}
        />
      ))}
    </svg>
  )
}

/** The phases of a check below each other, each at its start. */
export function Waterfall({ times }: { times: PhaseTimes }) {
  const spans = spansOf(times)
  const total = spans.reduce((sum, { length }) => sum + length, 0) || 1
  return (
    <dl className="grid gap-1.5">
      {spans.map(({ phase, start, length }) => (
        <div key={phase} className="grid grid-cols-[5.5rem_minmax(0,1fr)_5rem] items-center gap-3">
          <dt className="text-soft">{names[phase]}</dt>
          <dd aria-hidden="true">
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" className="h-3 w-full">
              <rect width="100" height="10" rx="1" className="fill-idle-ground" />
              <rect
                x={(start / total) * 100}
                width={Math.max((length / total) * 100, 0.6)}
                height="10"
                rx="1"
                className={FILLS[CHECK_PHASES.indexOf(phase)]}
              />
            </svg>
          </dd>
          <dd className="text-right">{milliseconds(length)}</dd>
        </div>
      ))}
    </dl>
  )
}
