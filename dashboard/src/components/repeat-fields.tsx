import { WEEKDAYS } from '@vedette/shared/tables'
import { REPEATS, type Repeat, type RepeatInput, TURN_REPEATS } from '../lib/repeat.ts'
import { windows as text } from '../messages/windows.ts'
import { CheckList, SelectField, TextField } from './field.tsx'

interface Props {
  label: string
  input: RepeatInput
  /** The label of the hours of a turn, where turns by hours may be chosen. */
  hoursLabel?: string
  /** Of the RRULE. */
  error: string | undefined
  onChange: (part: Partial<RepeatInput>) => void
}

/** How often something repeats, as cells of a grid of two columns. */
export function RepeatFields({ label, input: { repeat, days, hours, rule }, hoursLabel, error, onChange }: Props) {
  return (
    <>
      <SelectField label={label} value={repeat} onChange={({ target }) => onChange({ repeat: target.value as Repeat })}>
        {(hoursLabel === undefined ? REPEATS : TURN_REPEATS).map((one) => (
          <option key={one} value={one}>
            {text.repeats[one]}
          </option>
        ))}
      </SelectField>
      {repeat === 'weekly' && (
        <div className="sm:col-span-2">
          <WeekdayList label={text.days} chosen={days} onChange={(chosen) => onChange({ days: chosen })} />
        </div>
      )}
      {repeat === 'hourly' && (
        <TextField
          label={hoursLabel ?? ''}
          inputMode="numeric"
          value={hours}
          error={error}
          onChange={({ target }) => onChange({ hours: target.value })}
        />
      )}
      {repeat === 'custom' && (
        <TextField
          className="sm:col-span-2"
          label={text.rrule}
          hint={text.rruleHint}
          mono
          spellCheck={false}
          value={rule}
          error={error}
          onChange={({ target }) => onChange({ rule: target.value })}
        />
      )}
    </>
  )
}

interface DaysProps {
  label: string
  chosen: readonly string[]
  error?: string | undefined
  onChange: (days: string[]) => void
}

export const WeekdayList = (props: DaysProps) => (
  <CheckList options={WEEKDAYS.map((day) => ({ value: day, label: text.dayNames[day] }))} {...props} />
)
