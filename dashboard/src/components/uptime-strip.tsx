import { daySlots } from '../lib/uptime.ts'
import { text } from '../messages/index.ts'

const TONES = { good: 'fill-good-bar', warn: 'fill-warn-bar', bad: 'fill-bad-bar', none: 'fill-idle-ground' } as const
const STEP = 3
const HEIGHT = 20

/** An uptime bar as lists have it: a hundred of them on a page, so that each colour is one path and no step has a text. */
export function UptimeStrip({ values }: { values: readonly (number | null)[] }) {
  const slots = daySlots(values)
  const pathOf = (wanted: keyof typeof TONES) =>
    slots.map(({ tone }, index) => (tone === wanted ? `M${index * STEP} 0h2v${HEIGHT}h-2z` : '')).join('')
  return (
    <svg
      role="img"
      aria-label={text.monitors.uptimeBar(slots.length)}
      viewBox={`0 0 ${slots.length * STEP - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-5 w-full"
    >
      {(Object.keys(TONES) as (keyof typeof TONES)[]).map((tone) => (
        <path key={tone} d={pathOf(tone)} className={TONES[tone]} />
      ))}
    </svg>
  )
}
