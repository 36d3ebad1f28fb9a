import { type FormEvent, useRef, useState } from 'react'
import { fieldErrors } from './errors.ts'

/** The values of a form while it is edited. */
export interface FormState<Input> {
  input: Input
  setInput: (next: Input) => void
  change: (part: Partial<Input>) => void
  /** What the last submit threw; undefined: nothing. */
  error: unknown
  setError: (error: unknown) => void
  isBusy: boolean
  /** Whether the input differs from what it began with, or from `saved`. */
  isDirty: boolean
  onSubmit: (event: FormEvent) => void
  /** The props of the control of a text; `path` is the API's name of the field. */
  field: <Name extends keyof Input & string>(name: Name, path?: string) => FieldProps<Input[Name]>
}

interface FieldProps<Value> {
  value: Value
  error: string | undefined
  onChange: (event: { target: { value: string } }) => void
}

/** 128 random bits. `crypto.randomUUID` exists over HTTPS only. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * `onSave` gets the input and an idempotency key, which stays the same as long as the input does: what was created by a request
 * whose answer was lost is not created again.
 */
export function useForm<Input extends object>(
  initial: Input,
  onSave: (input: Input, idempotencyKey: string) => Promise<unknown>,
  saved?: Input,
): FormState<Input> {
  const [first] = useState(initial)
  const [lastSaved, setLastSaved] = useState<Input>()
  const [input, setInput] = useState(initial)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const attempt = useRef<{ input: Input; key: string }>(undefined)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (attempt.current?.input !== input) attempt.current = { input, key: randomKey() }
    setBusy(true)
    setError(undefined)
    onSave(input, attempt.current.key)
      .then(() => setLastSaved(input), setError)
      .finally(() => setBusy(false))
  }
  const change = (part: Partial<Input>) => setInput((current) => ({ ...current, ...part }))
  const errors = fieldErrors(error)
  const field = <Name extends keyof Input & string>(name: Name, path: string = name): FieldProps<Input[Name]> => ({
    value: input[name],
    error: errors[path],
    // The control accepts `value` only where the field is a text.
    onChange: ({ target: { value } }) => change({ [name]: value } as Partial<Input>),
  })
  const isDirty = input !== lastSaved && !isSameInput(input, saved ?? first)
  return { input, setInput, change, error, setError, isBusy, isDirty, onSubmit, field }
}

/** The keys of rows are new with each reading. */
const isSameInput = (one: object, other: object): boolean => withoutKeys(one) === withoutKeys(other)
const withoutKeys = (input: object): string =>
  JSON.stringify(input, (name, value: unknown) => (name === 'key' && typeof value === 'number' ? undefined : value))
