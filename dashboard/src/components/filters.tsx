interface ChoiceProps {
  label: string
  value: string | undefined
  /** Of the choice of none. */
  all: string
  /** Values with their names. */
  options: Readonly<Record<string, string>>
  onChange: (value: string) => void
}

/** A filter of a list by one of some values; '' for none. */
export function ChoiceFilter({ label, value, all, options, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
      className="field min-h-9 w-auto max-w-full py-1"
    >
      <option value="">{all}</option>
      {Object.entries(options).map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  )
}

interface DayProps {
  label: string
  /** `2026-11-30`, in the zone of the viewer. */
  value: string | undefined
  onChange: (day: string) => void
}

/** A filter of a list by a day; '' for none. */
export function DayFilter({ label, value, onChange }: DayProps) {
  return (
    <label className="flex min-w-0 items-center gap-2 text-soft">
      {label}
      <input
        type="date"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value)}
        className="field min-h-9 w-auto min-w-0 py-1"
      />
    </label>
  )
}
