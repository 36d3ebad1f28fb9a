import { MASK, type OptionSpec } from '@vedette/shared/tables'
import type { FocusEvent } from 'react'
import { CheckField, Field, SelectField, TextField } from '../../components/field.tsx'
import type { MonitorInput } from './input.ts'

export interface Props {
  input: MonitorInput
  saved: MonitorInput | undefined
  /** By path, as `options.packets`. */
  errors: Readonly<Record<string, string>>
  onChange: (part: Partial<MonitorInput>) => void
}

interface ControlProps<Value> {
  label: string
  hint?: string
  value: Value
  error: string | undefined
  onChange: (value: Value) => void
}

export function OptionControl({ spec, value, onChange, ...frame }: ControlProps<unknown> & { spec: OptionSpec }) {
  const text = typeof value === 'string' ? value : ''
  switch (spec.form) {
    case 'boolean': {
      const { label, hint } = frame
      return (
        <CheckField
          label={label}
          {...(hint === undefined ? {} : { hint })}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      )
    }
    case 'choice':
      return (
        <SelectField {...frame} value={text} onChange={(event) => onChange(event.target.value)}>
          {spec.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </SelectField>
      )
    case 'number': {
      const { minimum, maximum, unit } = spec
      return (
        <TextField
          hint={`${minimum}–${maximum}${unit === undefined ? '' : ` ${unit}`}`}
          {...frame}
          type="number"
          min={minimum}
          max={maximum}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    }
    case 'list':
      return <TextControl {...frame} isLong value={text} onChange={onChange} />
    case 'text':
    case 'own':
      return <TextControl {...frame} isLong={spec.form === 'text' ? spec.isLong : true} value={text} onChange={onChange} />
  }
}

/** Part of a mask is no secret: typing replaces all of it. */
function selectMask({ target }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  if (target.value === MASK) target.select()
}

export function TextControl({ isLong, value, onChange, ...frame }: ControlProps<string> & { isLong: true | undefined }) {
  if (isLong !== true)
    return (
      <TextField
        {...frame}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onFocus={selectMask}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <Field {...frame} className="sm:col-span-2">
      {(ids) => (
        <textarea
          {...ids}
          rows={4}
          spellCheck={false}
          value={value}
          onFocus={selectMask}
          onChange={(event) => onChange(event.target.value)}
          className="field font-mono sm:text-[0.95rem]"
        />
      )}
    </Field>
  )
}
