import { type ReactNode, type SyntheticEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/field.tsx'
import { fieldFaults, sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

interface Props {
  title: string
  lead?: ReactNode
  submit: string
  /** Said until something else is. */
  note?: string | undefined
  onSubmit: (values: Record<string, string>) => Promise<void>
  /** A better text for what was thrown. */
  explain?: (error: unknown) => string | undefined
  footer?: ReactNode
  children: ReactNode
}

/**
 * A form in the middle of the page: what is wrong is said in it, and `onSubmit` is called with what is right. Fields are plain
 * inputs with a name, and `data-name` for sentences.
 */
export function WayInForm({ title, lead, submit, note, onSubmit, explain, footer, children }: Props) {
  const [fault, setFault] = useState(note)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const wrong = faultOf(form)
    setFault(wrong)
    if (wrong !== undefined) return
    setBusy(true)
    try {
      await onSubmit(Object.fromEntries(new FormData(form)) as Record<string, string>)
    } catch (error) {
      setFault(explain?.(error) ?? refusalOf(form, error))
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
      <FormFault>{fault}</FormFault>
      <Button type="submit" look="primary" disabled={isBusy} className="min-h-10.5">
        {submit}
      </Button>
      {footer}
    </form>
  )
}

const nameOf = (field: HTMLInputElement): string => field.dataset['name'] ?? field.name

function mark(field: HTMLInputElement): void {
  field.setAttribute('aria-invalid', 'true')
  field.focus()
}

/** What is wrong with the first field that is not right, which gets the focus; undefined when all are. */
function faultOf(form: HTMLFormElement): string | undefined {
  const fields = [...form.querySelectorAll('input')].filter((input) => input.willValidate)
  for (const field of fields) field.removeAttribute('aria-invalid')
  // A script's own value is never too short in the browser's eyes.
  const isShort = ({ value, minLength }: HTMLInputElement) => value.length < minLength
  const wrong = fields.find((field) => !field.validity.valid || isShort(field))
  if (!wrong) return undefined
  mark(wrong)
  if (wrong.validity.valueMissing) return text.wayIn.missing(nameOf(wrong))
  return isShort(wrong)
    ? text.wayIn.tooShort(nameOf(wrong), wrong.minLength)
    : text.wayIn.wrong(nameOf(wrong), wrong.validationMessage)
}

/** What the backend says of the form; the field it names is marked. */
function refusalOf(form: HTMLFormElement, error: unknown): string {
  const [first] = Object.entries(fieldFaults(error))
  const field = first ? form.elements.namedItem(first[0]) : null
  if (!first || !(field instanceof HTMLInputElement)) return sentenceOf(error)
  mark(field)
  return text.wayIn.refused(nameOf(field), first[1])
}
