import type { TextareaHTMLAttributes } from 'react'
import { Field } from './field.tsx'

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className'> {
  label: string
  hint?: string | undefined
  error?: string | undefined
  mono?: boolean
}

export function TextArea({ label, hint, error, mono = false, ...area }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <textarea rows={4} {...ids} {...area} className={`field ${mono ? 'font-mono sm:text-[0.95rem]' : ''}`} />}
    </Field>
  )
}
