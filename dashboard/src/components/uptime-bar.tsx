import { uptime } from '../lib/format.ts'
import { daySlots } from '../lib/uptime.ts'
import { fullDate } from '../lib/time.ts'
import { text } from '../messages/index.ts'

interface Props {
  /** Where the first step begins, and how long each is. */
  from: string
  stepSeconds: number
  /** Percent per step; null where nothing was checked. */
  values: readonly (number | null)[]
}

/** A bar for each step: full height all the time, the colour tells how much of it was up. */
export function UptimeBar({ from, stepSeconds, values }: Props) {
  const slots = daySlots(values)
  const width = slots.length * 4 - 1
  const begin = Date.parse(from)
  return (
    <svg
      role="img"
      aria-label={text.monitors.uptimeBar(slots.length)}
      viewBox={`0 0 ${width} 30`}
      preserveAspectRatio="none"
      className="h-8 w-full"
    >
      {slots.map(({ tone, value }, index) => (
        <rect key={begin + index} x={index * 4} y="0" width="3" height="30" rx="1" className={TONES[tone]}>
          <title>{`${fullDate(begin + index * stepSeconds * 1000)}: ${value === null ? text.monitors.notChecked : uptime(value)}`}</title>
        </rect>
      ))}
    </svg>
  )
}

const TONES = { good: 'fill-good-bar', warn: 'fill-warn-bar', bad: 'fill-bad-bar', none: 'fill-idle-ground' } as const
