import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, useId } from 'react'

interface FrameProps {
  label: ReactNode
  hint?: ReactNode
  fault?: string | undefined
  className?: string
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A label, what it is for, and what is wrong with it. */
export function Field({ label, hint, fault, className = '', children }: FrameProps) {
  const id = useId()
  const told = fault ?? hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block font-semibold text-[0.95rem]">
        {label}
      </label>
      {children({
        id,
        ...(told === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
        ...(fault === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {told !== undefined && (
        <p id={`${id}-hint`} className={`mt-1 text-[0.9rem] ${fault === undefined ? 'text-muted' : 'text-bad'}`}>
          {told}
        </p>
      )}
    </div>
  )
}

interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'className'> {
  label: ReactNode
  hint?: ReactNode
  fault?: string | undefined
  mono?: boolean
  className?: string
  ref?: Ref<HTMLInputElement>
}

export function TextField({ label, hint, fault, mono = false, className, ...input }: InputProps) {
  return (
    <Field
      label={label}
      {...(hint === undefined ? {} : { hint })}
      fault={fault}
      {...(className === undefined ? {} : { className })}
    >
      {(ids) => <input {...ids} {...input} className={`field ${mono ? 'font-mono text-[0.95rem]' : ''}`} />}
    </Field>
  )
}

interface SelectProps extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className'> {
  label: ReactNode
  hint?: ReactNode
  className?: string
}

export function SelectField({ label, hint, className, children, ...select }: SelectProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} {...(className === undefined ? {} : { className })}>
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
    <label className="flex cursor-pointer items-start gap-2.5">
      <input type="checkbox" {...input} className="mt-0.5 size-4 shrink-0 accent-(--accent)" />
      <span>
        <span className="font-semibold text-[0.95rem]">{label}</span>
        {hint !== undefined && <span className="block text-[0.9rem] text-muted">{hint}</span>}
      </span>
    </label>
  )
}

/** What is wrong with the whole form. It stays in the page, so that a reader of the screen hears it come. */
export function FormFault({ children }: { children: string | undefined }) {
  return (
    <p role="alert" className={children ? 'rounded-lg bg-bad-ground px-3 py-2 text-bad' : 'sr-only'}>
      {children}
    </p>
  )
}
