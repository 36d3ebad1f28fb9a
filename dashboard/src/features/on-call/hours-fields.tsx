import { MAX_LAYER_RESTRICTIONS } from '@vedette/shared/tables'
import { Button, IconButton } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Plus, X } from '../../components/icons.tsx'
import { WeekdayList } from '../../components/repeat-fields.tsx'
import { without, withPart } from '../../lib/rows.ts'
import { escalation } from '../../messages/escalation.ts'
import { type HoursInput, newHours } from './hours.ts'

const text = escalation.hours

interface Props {
  hint: string
  hours: readonly HoursInput[]
  /** By path, as `0.days`. */
  errors: Readonly<Record<string, string>>
  onChange: (hours: HoursInput[]) => void
}

/** Hours of some days to which a layer or a step is restricted; none: always. */
export function HoursFields({ hint, hours, errors, onChange }: Props) {
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.label}</legend>
      {hours.length === 0 && <p className="text-[0.9rem] text-muted">{hint}</p>}
      {hours.map(({ key, days, from, to }, index) => {
        const set = (part: Partial<HoursInput>) => onChange(withPart(hours, index, part))
        return (
          <div key={key} className="grid gap-3 border-line border-l-2 pl-3">
            <WeekdayList
              label={text.days(index + 1)}
              chosen={days}
              error={errors[`${index}.days`]}
              onChange={(chosen) => set({ days: chosen })}
            />
            <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
              <TextField
                label={text.from}
                type="time"
                value={from}
                error={errors[`${index}.from`]}
                onChange={({ target }) => set({ from: target.value })}
              />
              <TextField
                label={text.to}
                type="time"
                value={to}
                error={errors[`${index}.to`]}
                onChange={({ target }) => set({ to: target.value })}
              />
              <IconButton label={text.remove(index + 1)} onClick={() => onChange(without(hours, index))}>
                <X size={16} />
              </IconButton>
            </div>
          </div>
        )
      })}
      {hours.length < MAX_LAYER_RESTRICTIONS && (
        <Button small className="justify-self-start" onClick={() => onChange([...hours, newHours()])}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
      )}
    </fieldset>
  )
}
