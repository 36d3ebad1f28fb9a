import { revalidateLogic, useForm as useTanStackForm, useStore } from '@tanstack/react-form'
import type { ErrorDetail } from '@vedette/shared'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { isEqual } from './edits.ts'
import { fieldErrors, InvalidInput } from './errors.ts'
import { messages } from '../messages/index.ts'
import type { BodyName } from './bodies.ts'
import type { findFaults as FindFaults } from './faults.ts'

/** The values of a form while it is edited. */
export interface FormState<Input> {
  input: Input
  change: (part: Partial<Input>) => void
  /** Begins again, without faults. */
  reset: () => void
  /** What the schema refuses, or what the last submit threw; undefined: nothing. */
  error: unknown
  setError: (error: unknown) => void
  isBusy: boolean
  /** The schema says what is at fault, not the browser. */
  hasSchema: boolean
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

interface Options<Input> {
  /** What is stored, where the form begins with something else. */
  saved?: Input | undefined
  /** The schema of the body that is sent: an input that it refuses is not sent. */
  schema?: readonly [BodyName, (input: Input) => object]
  /** The paths of fields that are required though the schema does not say so, and empty; and other faults that it does not see. */
  missing?: (input: Input) => readonly (string | ErrorDetail)[]
  /** Loads what `missing` needs for it, with the schema. */
  loadMore?: () => Promise<unknown>
}

/** 128 random bits. `crypto.randomUUID` exists over HTTPS only. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

const REQUIRED = messages.faults.byKeyword['required']?.('') ?? ''

/** The first fault of each field, and none of a whole whose part has one. */
function onceEach(faults: readonly ErrorDetail[]): ErrorDetail[] {
  const byPath = new Map(faults.toReversed().map((fault) => [fault.path, fault]))
  return [...byPath.values()].toReversed().filter(({ path }) => !faults.some((other) => other.path.startsWith(`${path}.`)))
}

/** By body, loaded with the first change of its form. Without it, as when the network is away, the API alone says what it refuses. */
const loaded = new Map<BodyName, typeof FindFaults>()
async function loadFaults(name: BodyName): Promise<void> {
  try {
    const { findFaults, loadBody } = await import('./faults.ts')
    await loadBody(name)
    loaded.set(name, findFaults)
  } catch {
    // The submit tries again.
  }
}

/**
 * `onSave` gets the input and an idempotency key, which stays the same as long as the input does: what was created by a request
 * whose answer was lost is not created again. After the first submit the schema is checked with each change.
 */
export function useForm<Input extends object>(
  initial: Input,
  onSave: (input: Input, idempotencyKey: string) => Promise<unknown>,
  { saved, schema, missing, loadMore }: Options<Input> = {},
): FormState<Input> {
  const [first] = useState(initial)
  const [lastSaved, setLastSaved] = useState<Input>()
  const [error, setError] = useState<unknown>()
  const attempt = useRef<{ input: Input; key: string }>(undefined)
  const form = useTanStackForm({
    defaultValues: first,
    canSubmitWhenInvalid: true,
    validationLogic: revalidateLogic(),
    validators: {
      onDynamic: ({ value }) => {
        const absent = missing?.(value).map((fault) => (typeof fault === 'string' ? { path: fault, message: REQUIRED } : fault))
        const found = onceEach([...((schema && loaded.get(schema[0])?.(schema[0], schema[1](value))) ?? []), ...(absent ?? [])])
        return found.length > 0 ? new InvalidInput(found) : undefined
      },
    },
    onSubmit: async ({ value }) => {
      if (attempt.current?.input !== value) attempt.current = { input: value, key: randomKey() }
      await onSave(value, attempt.current.key).then(() => setLastSaved(value), setError)
    },
  })
  const { values: input, isSubmitting: isBusy, errors: found } = useStore(form.store, (state) => state)
  const body = schema?.[0]
  const loadChecks = () => Promise.all([body && loadFaults(body), loadMore?.()])
  const isChanged = input !== first
  // Opening a form loads no checks, which are larger than most pages.
  useEffect(() => {
    if (isChanged) void loadChecks()
    // oxlint-disable-next-line react/exhaustive-deps -- a form has the same checks as long as it is open
  }, [isChanged])
  /** The second click of a double click comes before the page has disabled the button, or while the checks still load. */
  const isSending = useRef(false)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isSending.current) return
    isSending.current = true
    const { currentTarget: element } = event
    setError(undefined)
    void loadChecks()
      .then(() => form.handleSubmit())
      .finally(() => (isSending.current = false))
      // After the page has marked the fields.
      .then(() => requestAnimationFrame(() => element.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()))
  }
  const change = (part: Partial<Input>) => {
    for (const [name, value] of Object.entries(part)) form.setFieldValue(name as never, value as never)
    // What was refused was the value before.
    if (error instanceof InvalidInput) setError(undefined)
    void form.validate('change')
  }
  const shown: unknown = found[0] ?? error
  const errors = fieldErrors(shown)
  const field = <Name extends keyof Input & string>(name: Name, path: string = name): FieldProps<Input[Name]> => ({
    value: input[name],
    error: errors[path] ?? Object.entries(errors).find(([at]) => at.startsWith(`${path}.`))?.[1],
    // The control accepts `value` only where the field is a text.
    onChange: ({ target: { value } }) => change({ [name]: value } as Partial<Input>),
  })
  const isDirty = input !== lastSaved && !isEqual(input, saved ?? first)
  return {
    input,
    change,
    reset: () => form.reset(),
    error: shown,
    setError,
    isBusy,
    hasSchema: body !== undefined,
    isDirty,
    onSubmit,
    field,
  }
}
