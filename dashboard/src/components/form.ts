import { VedetteError } from '@vedette/client'
import { find, fromTemplate } from './elements.ts'

export interface Form {
  element: HTMLFormElement
  field(name: string): HTMLInputElement
  /** Says what is wrong beside the button; nothing for an empty text. */
  complain(text: string): void
}

/**
 * A form of the page: what is wrong is said in it, and `submit` is called with what is right. What `submit` throws is shown,
 * unless `explain` has a better text for it.
 */
export function formOf(
  id: string,
  submit: (values: Record<string, string>, form: Form) => Promise<void>,
  explain: (error: unknown, form: Form) => string | undefined = () => undefined,
): Form {
  const element = fromTemplate(id) as HTMLFormElement
  const error = find(element, '.error')
  const button = find(element, 'button') as HTMLButtonElement
  const form: Form = {
    element,
    field: (name) => element.elements.namedItem(name) as HTMLInputElement,
    complain: (text) => {
      error.textContent = text
      error.hidden = text === ''
    },
  }
  const send = async () => {
    const fault = faultOf(form)
    form.complain(fault ?? '')
    if (fault !== undefined) return
    button.disabled = true
    try {
      await submit(Object.fromEntries(new FormData(element)) as Record<string, string>, form)
    } catch (thrown) {
      form.complain(explain(thrown, form) ?? refusalOf(form, thrown))
    } finally {
      button.disabled = false
    }
  }
  element.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  return form
}

const nameOf = (field: HTMLInputElement): string => field.dataset['name'] ?? field.name

function mark(field: HTMLInputElement): void {
  field.setAttribute('aria-invalid', 'true')
  field.focus()
}

/** What is wrong with the first field that is not right, which gets the focus; undefined when all are. */
function faultOf({ element }: Form): string | undefined {
  const fields = [...element.querySelectorAll('input')].filter((input) => input.willValidate)
  for (const field of fields) field.removeAttribute('aria-invalid')
  // A script's own value is never too short in the browser's eyes.
  const isShort = ({ value, minLength }: HTMLInputElement) => value.length < minLength
  const wrong = fields.find((field) => !field.validity.valid || isShort(field))
  if (!wrong) return undefined
  mark(wrong)
  if (wrong.validity.valueMissing) return `${nameOf(wrong)} is missing.`
  return `${nameOf(wrong)}: ${isShort(wrong) ? `at least ${wrong.minLength} characters, please.` : wrong.validationMessage}`
}

/** What the backend says of the form; the field it names is marked. */
function refusalOf(form: Form, error: unknown): string {
  const { message, details: [detail] = [] } = error as Error & Partial<Pick<VedetteError, 'details'>>
  const field = detail && error instanceof VedetteError ? form.field(detail.path) : null
  if (!detail || !field) return message
  mark(field)
  return `${nameOf(field)} ${detail.message}.`
}
