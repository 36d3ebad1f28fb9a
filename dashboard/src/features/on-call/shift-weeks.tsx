import type { ScheduleShifts } from '@vedette/shared'
import { personText } from '../../lib/person.ts'
import { day } from '../../lib/time.ts'
import { escalation } from '../../messages/escalation.ts'
import { shiftTime } from '../../lib/shift-time.ts'
import { type Week } from './weeks.ts'

const text = escalation.shifts
/** Of the people in their order; further ones begin again. */
const FILLS = ['fill-chart-1', 'fill-chart-2', 'fill-chart-3', 'fill-chart-4', 'fill-chart-5', 'fill-chart-6'] as const
const WIDTH = 700
const HEIGHT = 20

interface Props {
  answer: ScheduleShifts
  weeks: readonly Week[]
  zone: string
}

/** The shifts of some weeks as bars, a week in a row. The table below has them as text. */
export function ShiftWeeks({ answer: { shifts, gaps }, weeks, zone }: Props) {
  const people = [...new Set(shifts.map(personText))]
  const fillOf = (person: string) => FILLS[people.indexOf(person) % FILLS.length] ?? FILLS[0]
  const spans = [
    ...shifts.map((shift) => {
      const name = personText(shift)
      // Those who are on duty together share the height of the bar.
      const together = shifts.filter(({ from, to }) => from < shift.to && to > shift.from)
      const height = HEIGHT / together.length
      return { name, from: shift.from, to: shift.to, fill: fillOf(name), y: together.indexOf(shift) * height, height }
    }),
    ...gaps.map(({ from, to }) => ({ name: text.nobody, from, to, fill: 'fill-bad-bar', y: 0, height: HEIGHT })),
  ]
  return (
    <div className="px-4 pb-3">
      <div className="grid gap-2" role="img" aria-label={text.weeks(weeks.length)}>
        {weeks.map(({ fromMs, toMs, days }) => {
          const x = (ms: number) => ((Math.min(Math.max(ms, fromMs), toMs) - fromMs) / (toMs - fromMs)) * WIDTH
          return (
            <div key={fromMs}>
              <div className="grid grid-cols-7 text-[0.82rem] text-muted">
                {days.map((ms) => (
                  <span key={ms} className="truncate">
                    {day(ms, zone)}
                  </span>
                ))}
              </div>
              <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-6 w-full rounded bg-idle-ground">
                {spans.map(({ name, from, to, fill, y, height }) => {
                  const [start, end] = [x(Date.parse(from)), x(Date.parse(to))]
                  if (end <= start) return null
                  return (
                    <rect
                      key={`${from} ${name}`}
                      x={start}
                      y={y}
                      width={Math.max(end - start - 1, 1)}
                      height={height}
                      className={fill}
                    >
                      <title>{`${name}: ${shiftTime(from, zone)} – ${shiftTime(to, zone)}`}</title>
                    </rect>
                  )
                })}
              </svg>
            </div>
          )
        })}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-[0.9rem]">
        {people.map((person) => (
          <Legend key={person} name={person} fill={fillOf(person)} />
        ))}
        {gaps.length > 0 && <Legend name={text.nobody} fill="fill-bad-bar" />}
      </ul>
    </div>
  )
}

const Legend = ({ name, fill }: { name: string; fill: string }) => (
  <li className="inline-flex min-w-0 items-center gap-1.5">
    <svg viewBox="0 0 10 10" aria-hidden="true" className={`size-2.5 shrink-0 ${fill}`}>
      <rect width="10" height="10" rx="2" />
    </svg>
    <span className="truncate">{name}</span>
  </li>
)
