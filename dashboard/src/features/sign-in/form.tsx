import { type ReactNode, type SyntheticEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormError } from '../../components/field.tsx'
import { fieldErrors, errorMessage } from '../../lib/errors.ts'
import { messages } from '../../messages/index.ts'

interface Props {
  title: string
  lead?: ReactNode
  submit: string
  /** Shown until there is an error. */
  note?: string | undefined
  onSubmit: (values: Record<string, string>) => Promise<void>
  /** A more specific message for an error. */
  explain?: (error: unknown) => string | undefined
  footer?: ReactNode
  children: ReactNode
}

/**
 * A form in the middle of the page. It shows what is wrong and calls `onSubmit` with valid values, by the names of the inputs.
 */
export function SignInForm({ title, lead, submit, note, onSubmit, explain, footer, children }: Props) {
  const [error, setError] = useState(note)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const wrong = invalidFieldMessage(form)
    setError(wrong)
    if (wrong !== undefined) return
    setBusy(true)
    try {
      await onSubmit(Object.fromEntries(new FormData(form)) as Record<string, string>)
    } catch (thrown) {
      setError(explain?.(thrown) ?? rejectionMessage(form, thrown))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form noValidate className="panel grid w-full max-w-md gap-4 p-6 sm:p-8" onSubmit={(event) => void send(event)}>
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p className="mt-1.5 text-soft">{lead}</p>}
      </div>
      {children}
      <FormError error={error} />
      <Button type="submit" variant="primary" disabled={isBusy} className="min-h-10.5">
        {submit}
      </Button>
      {footer}
    </form>
  )
}

const labelOf = (field: HTMLInputElement): string => field.labels?.[0]?.textContent ?? field.name

function mark(field: HTMLInputElement): void {
  field.setAttribute('aria-invalid', 'true')
  field.focus()
}

/** Focuses the first invalid field and returns its message; undefined without one. */
function invalidFieldMessage(form: HTMLFormElement): string | undefined {
  const fields = [...form.querySelectorAll('input')].filter((input) => input.willValidate)
  for (const field of fields) field.removeAttribute('aria-invalid')
  // Browsers do not check the length of values that a script has set.
  const isShort = ({ value, minLength }: HTMLInputElement) => value.length < minLength
  const wrong = fields.find((field) => !field.validity.valid || isShort(field))
  if (!wrong) return undefined
  mark(wrong)
  if (wrong.validity.valueMissing) return messages.signIn.missing(labelOf(wrong))
  return isShort(wrong)
    ? messages.signIn.tooShort(labelOf(wrong), wrong.minLength)
    : messages.signIn.invalid(labelOf(wrong), wrong.validationMessage)
}

/** The message of a rejected form; marks the field that the backend names. */
function rejectionMessage(form: HTMLFormElement, error: unknown): string {
  const [first] = Object.entries(fieldErrors(error))
  const field = first ? form.elements.namedItem(first[0]) : null
  if (!first || !(field instanceof HTMLInputElement)) return errorMessage(error)
  mark(field)
  return messages.signIn.invalid(labelOf(field), first[1])
}
