import type { TextareaHTMLAttributes } from 'react'
import { Field } from '../../components/field.tsx'

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className'> {
  label: string
  hint?: string
  error?: string | undefined
}

export function TextArea({ label, hint, error, ...area }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <textarea rows={4} {...ids} {...area} className="field" />}
    </Field>
  )
}
