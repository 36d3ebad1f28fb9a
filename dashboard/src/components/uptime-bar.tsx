import { uptime } from '../lib/format.ts'
import { daySlots } from '../lib/uptime.ts'
import { fullDate } from '../lib/time.ts'
import { messages } from '../messages/index.ts'

interface Props {
  /** The start of the first step. */
  from: string
  stepSeconds: number
  /** Percent per step; null without a check. */
  values: readonly (number | null)[]
}

/** A bar of the same height for each step; its colour shows the uptime. */
export function UptimeBar({ from, stepSeconds, values }: Props) {
  const slots = daySlots(values)
  const width = slots.length * 4 - 1
  const startMs = Date.parse(from)
  return (
    <svg
      role="img"
      aria-label={messages.monitors.uptimeBar(slots.length)}
      viewBox={`0 0 ${width} 30`}
      preserveAspectRatio="none"
      className="h-8 w-full"
    >
      {slots.map(({ tone, value }, index) => (
        <rect key={startMs + index} x={index * 4} y="0" width="3" height="30" rx="1" className={TONES[tone]}>
          <title>{`${fullDate(startMs + index * stepSeconds * 1000)}: ${value === null ? messages.monitors.noChecks : uptime(value)}`}</title>
        </rect>
      ))}
    </svg>
  )
}

const TONES = { good: 'fill-good-bar', warn: 'fill-warn-bar', bad: 'fill-bad-bar', none: 'fill-idle-ground' } as const
