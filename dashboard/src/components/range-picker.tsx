import { X } from 'lucide-react'
import { dayAndClock } from '../lib/time.ts'
import type { Range, RangeSearch } from '../lib/range.ts'
import { messages } from '../messages/index.ts'
import { Segmented } from './segmented.tsx'

interface Props {
  range: Range
  periods: readonly string[]
  onChange: (search: RangeSearch) => void
  /** Returns to the default period. */
  onReset: () => void
}

export function RangePicker({ range, periods, onChange, onReset }: Props) {
  return (
    <div className="flex max-w-full flex-wrap items-center gap-2">
      {'from' in range && (
        <button
          type="button"
          onClick={onReset}
          title={messages.range.reset}
          className="inline-flex min-h-8.5 items-center gap-1.5 rounded-lg bg-accent-ground px-2.5 text-accent hover:text-accent-strong"
        >
          {dayAndClock(range.from)} – {dayAndClock(range.to)}
          <X size={14} aria-hidden="true" />
        </button>
      )}
      <Segmented
        label={messages.range.label}
        value={'period' in range ? range.period : undefined}
        options={periods.map((value) => ({ value, label: value }))}
        onChoose={(period) => onChange({ range: period })}
      />
    </div>
  )
}
