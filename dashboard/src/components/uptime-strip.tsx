import { daySlots } from '../lib/uptime.ts'
import { messages } from '../messages/index.ts'

const TONES = { good: 'fill-good-bar', warn: 'fill-warn-bar', bad: 'fill-bad-bar', none: 'fill-idle-ground' } as const
const STEP = 3
const HEIGHT = 20

/** A small uptime bar for lists. Each colour is a single path, since a page can have a hundred of them. */
export function UptimeStrip({ values }: { values: readonly (number | null)[] }) {
  const slots = daySlots(values)
  const pathOf = (color: keyof typeof TONES) =>
    slots.map(({ tone }, index) => (tone === color ? `M${index * STEP} 0h2v${HEIGHT}h-2z` : '')).join('')
  return (
    <svg
      role="img"
      aria-label={messages.monitors.uptimeBar(slots.length)}
      viewBox={`0 0 ${slots.length * STEP - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-5 w-full"
    >
      {(Object.keys(TONES) as (keyof typeof TONES)[]).map((tone) => {
        const path = pathOf(tone)
        return path !== '' && <path key={tone} d={path} className={TONES[tone]} />
      })}
    </svg>
  )
}
