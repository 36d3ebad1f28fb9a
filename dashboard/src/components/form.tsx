import type { ReactNode } from 'react'
import type { FormState } from '../lib/use-form.ts'
import { messages } from '../messages/index.ts'
import { Button, type ButtonVariant } from './button.tsx'
import { FormError } from './field.tsx'
import { SubmitButton } from './submit-button.tsx'

interface Props {
  form: Pick<FormState<object>, 'error' | 'isBusy' | 'hasSchema' | 'onSubmit'>
  /** The text of the submit button. */
  action: string
  variant?: ButtonVariant
  isDisabled?: boolean
  /** Adds a cancel button. */
  onCancel?: () => void
  className?: string
  children?: ReactNode
}

/** Fields below each other, then the error of the last submit and the submit button. */
export function Form({ form, action, variant = 'primary', isDisabled = false, onCancel, className = '', children }: Props) {
  return (
    <form className={`grid gap-4 ${className}`} onSubmit={form.onSubmit} noValidate={form.hasSchema}>
      {children}
      <FormError error={form.error} />
      <div className="flex justify-end gap-2">
        {onCancel && <Button onClick={onCancel}>{messages.actions.cancel}</Button>}
        <SubmitButton form={form} action={action} variant={variant} isDisabled={isDisabled} />
      </div>
    </form>
  )
}
