import { MAX_LAYER_RESTRICTIONS } from '@vedette/shared/tables'
import { Button, IconButton } from './button.tsx'
import { TextField } from './field.tsx'
import { Plus, X } from './icons.tsx'
import { WeekdayList } from './repeat-fields.tsx'
import { ZoneField } from './zone-field.tsx'
import { type HoursInput, newHours } from '../lib/hours.ts'
import { without, withPart } from '../lib/rows.ts'
import { viewerZone } from '../lib/time.ts'
import { escalation } from '../messages/escalation.ts'

const text = escalation.hours

interface Props {
  label?: string
  hint: string
  /** Each entry has a time zone of its own. */
  hasZones?: boolean
  hours: readonly HoursInput[]
  /** By path, as `0.days`. */
  errors: Readonly<Record<string, string>>
  onChange: (hours: HoursInput[]) => void
}

/** Hours of some days to which something is restricted, as a layer or a step; none: always. */
export default function HoursFields({ label = text.label, hint, hours, hasZones = false, errors, onChange }: Props) {
  const added = (): HoursInput => ({ ...newHours(), ...(hasZones && { zone: hours.at(-1)?.zone ?? viewerZone() }) })
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-semibold text-[0.95rem]">{label}</legend>
      {hours.length === 0 && <p className="text-[0.9rem] text-muted">{hint}</p>}
      {hours.map(({ key, days, from, to, zone }, index) => {
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
              {zone !== undefined && (
                <ZoneField
                  value={zone}
                  error={errors[`${index}.time_zone`]}
                  onChange={({ target }) => set({ zone: target.value })}
                />
              )}
              <IconButton label={text.remove(index + 1)} onClick={() => onChange(without(hours, index))}>
                <X size={16} />
              </IconButton>
            </div>
          </div>
        )
      })}
      {hours.length < MAX_LAYER_RESTRICTIONS && (
        <Button small className="justify-self-start" onClick={() => onChange([...hours, added()])}>
          <Plus size={14} aria-hidden="true" />
          {text.add}
        </Button>
      )}
    </fieldset>
  )
}
