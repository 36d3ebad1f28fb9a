import { Plus, X } from '../../components/icons.tsx'
import { useId } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Field, FieldError } from '../../components/field.tsx'
import { messages } from '../../messages/index.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { newKey } from '../../lib/rows.ts'
import type { HeaderInput } from './input.ts'

const text = monitorEditor.editor

interface Props {
  headers: readonly HeaderInput[]
  /** By path: `headers[0]` for a row of the form, `headers.X-Team` from the API. */
  errors: Readonly<Record<string, string>>
  onChange: (headers: HeaderInput[]) => void
}

export function HeaderRows({ headers, errors, onChange }: Props) {
  const id = useId()
  const set = (key: number, part: Partial<HeaderInput>) =>
    onChange(headers.map((header) => (header.key === key ? { ...header, ...part } : header)))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-semibold text-[0.95rem]">{messages.monitors.fields.headers}</legend>
      {headers.map(({ key, name, value }, index) => {
        const error = errors[`headers[${index}]`] ?? errors[`headers.${name.trim()}`]
        return (
          <div key={key}>
            <div className="flex items-center gap-2">
              <input
                aria-label={text.headerName}
                aria-invalid={error !== undefined || undefined}
                aria-describedby={error === undefined ? undefined : `${id}-${key}`}
                value={name}
                spellCheck={false}
                onChange={(event) => set(key, { name: event.target.value })}
                className="field w-2/5"
              />
              <input
                aria-label={text.headerValue}
                value={value}
                spellCheck={false}
                onChange={(event) => set(key, { value: event.target.value })}
                className="field flex-1"
              />
              <IconButton label={text.removeHeader} onClick={() => onChange(headers.filter((header) => header.key !== key))}>
                <X size={16} />
              </IconButton>
            </div>
            <FieldError id={`${id}-${key}`} error={error} />
          </div>
        )
      })}
      <FieldError id={id} error={errors['headers']} />
      <Button small className="justify-self-start" onClick={() => onChange([...headers, { key: newKey(), name: '', value: '' }])}>
        <Plus size={14} aria-hidden="true" />
        {text.addHeader}
      </Button>
    </fieldset>
  )
}

interface BodyProps {
  rows: number
  value: string
  error: string | undefined
  onChange: (body: string) => void
}

export function BodyField({ rows, value, error, onChange }: BodyProps) {
  return (
    <Field label={messages.monitors.fields.body} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          rows={rows}
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="field font-mono sm:text-[0.95rem]"
        />
      )}
    </Field>
  )
}
