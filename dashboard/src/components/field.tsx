import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, useId } from 'react'
import { errorMessage } from '../lib/errors.ts'
import { fullDate } from '../lib/time.ts'

interface FrameProps {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  className?: string | undefined
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A label and its control, with a hint or the error below. */
export function Field({ label, hint, error, className, children }: FrameProps) {
  const id = useId()
  const description = error ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block font-semibold text-[0.95rem]">
        {label}
      </label>
      {children({
        id,
        ...(description === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {description !== undefined && (
        <p id={`${id}-hint`} className={`mt-1 text-[0.9rem] ${error === undefined ? 'text-muted' : 'text-bad'}`}>
          {description}
        </p>
      )}
    </div>
  )
}

interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className'> {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  mono?: boolean
  className?: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** What a field for a date holds, in the form of the other dates on the page: that of the browser is another one. */
const dateTyped = ({ type, value }: InputProps): string | undefined => {
  const [date, time] = String(value ?? '').split('T')
  const ms = type === 'date' || type === 'datetime-local' ? Date.parse(date ?? '') : Number.NaN
  return Number.isNaN(ms) ? undefined : [fullDate(ms, 'UTC'), ...(time === undefined ? [] : [time])].join(', ')
}

export function TextField({ label, hint, error, mono = false, className, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint ?? dateTyped({ label, ...input })} error={error} className={className}>
      {(ids) => <input {...ids} {...input} className={`field ${mono ? 'font-mono sm:text-[0.95rem]' : ''}`} />}
    </Field>
  )
}

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className'> {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  className?: string | undefined
}

export function SelectField({ label, hint, error, className, children, ...select }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error} className={className}>
      {(ids) => (
        <select {...ids} {...select} className="field">
          {children}
        </select>
      )}
    </Field>
  )
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'type'> {
  label: ReactNode
  hint?: ReactNode
}

export function CheckField({ label, hint, ...input }: CheckProps) {
  return (
    <label className="grid cursor-pointer grid-cols-[auto_1fr] items-start gap-2.5">
      <input type="checkbox" {...input} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="font-semibold text-[0.95rem]">{label}</span>
        {hint !== undefined && <span className="block text-[0.9rem] text-muted">{hint}</span>}
      </span>
    </label>
  )
}

interface CheckListProps {
  /** The legend; left out where a heading names the list. */
  label?: string
  options: readonly { value: string; label: string; hint?: string | undefined }[]
  chosen: readonly string[]
  error?: string | undefined
  onChange: (chosen: string[]) => void
  className?: string
}

/** Check boxes of which any number may be chosen. */
export function CheckList(props: CheckListProps) {
  const { label, options, chosen, error, onChange, className = 'flex flex-wrap gap-x-6 gap-y-2 pointer-coarse:gap-y-0' } = props
  const id = useId()
  return (
    <fieldset>
      {label !== undefined && <legend className="mb-1.5 font-semibold text-[0.95rem]">{label}</legend>}
      <div className={className}>
        {options.map(({ value, ...rest }, index) => (
          <CheckField
            key={value}
            {...rest}
            // The first one gets the focus.
            {...(error !== undefined && index === 0 && { 'aria-invalid': true, 'aria-describedby': id })}
            checked={chosen.includes(value)}
            onChange={(event) => onChange(event.target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))}
          />
        ))}
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  )
}

/** What is wrong with a control that is no `Field`; its `aria-describedby` is the id. */
export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p id={id} className="mt-1 text-[0.9rem] text-bad">
      {error}
    </p>
  )
}

/** The error of a whole form. It is always in the page, so that a screen reader announces it when it appears. */
export function FormError({ error }: { error: unknown }) {
  const message = error === undefined || typeof error === 'string' ? error : errorMessage(error)
  return (
    <p role="alert" className={message ? 'rounded-lg bg-bad-ground px-3 py-2 text-bad' : 'sr-only'}>
      {message}
    </p>
  )
}
