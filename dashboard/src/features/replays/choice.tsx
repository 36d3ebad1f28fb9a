import type { ReactNode } from 'react'
import { SelectField } from '../../components/field.tsx'
import { duration } from '../../lib/format.ts'
import { alerts } from '../../messages/alerts.ts'
import { replays as text } from '../../messages/replays.ts'
import type { Change } from './input.ts'
import type { Configured } from './queries.ts'

/** Of the fields of one change. */
export interface ChangeProps<Kind extends Change> {
  change: Kind
  configured: Configured
  /** By the API's name of the field. */
  errors: Readonly<Record<string, string>>
  onChange: (change: Change) => void
}

interface ChoiceProps {
  kind: Change['kind']
  label: string
  value: string
  hint?: ReactNode
  error: string | undefined
  options: readonly { id: string; name: string }[]
  onChoose: (id: string) => void
}

/** What is changed. */
export function Choice({ kind, label, value, hint, error, options, onChoose }: ChoiceProps) {
  return (
    <SelectField
      label={label}
      hint={hint}
      error={error}
      value={value}
      // It was just added.
      autoFocus={value === ''}
      className="mr-8"
      onChange={({ target }) => onChoose(target.value)}
    >
      <option value="" disabled>
        {text.choose[kind]}
      </option>
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

interface SecondsProps {
  label: string
  hint?: string
  value: string
  usual: readonly number[]
  error: string | undefined
  onChange: (seconds: string) => void
}

/** A duration of the usual ones, or the one that was set over the API. */
export function Seconds({ value, usual, onChange, ...field }: SecondsProps) {
  const options = [...new Set([...usual, Number(value)])].toSorted((one, other) => one - other)
  return (
    <SelectField {...field} value={value} onChange={({ target }) => onChange(target.value)}>
      {options.map((seconds) => (
        <option key={seconds} value={seconds}>
          {seconds === 0 ? alerts.rules.immediately : duration(seconds)}
        </option>
      ))}
    </SelectField>
  )
}
