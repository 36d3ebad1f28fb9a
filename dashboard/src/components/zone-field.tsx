import type { ComponentProps } from 'react'
import { timeZones } from '../lib/time.ts'
import { windows } from '../messages/windows.ts'
import { SelectField } from './field.tsx'

interface Props extends Omit<ComponentProps<typeof SelectField>, 'label' | 'children'> {
  label?: string
  value: string
}

/** A time zone. The API accepts other spellings than those of the browser as well. */
export function ZoneField({ label = windows.zone, value, ...field }: Props) {
  return (
    <SelectField label={label} value={value} {...field}>
      {[...new Set([value, ...timeZones()])].map((zone) => (
        <option key={zone}>{zone}</option>
      ))}
    </SelectField>
  )
}
