import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'danger'

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent font-semibold',
  plain: 'bg-surface text-text border-line hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-surface text-bad border-line hover:bg-bad-ground hover:border-bad',
}

/** The classes of a button, for links that look like one. */
export const buttonClass = (variant: ButtonVariant = 'plain', isSmall = false): string =>
  `control inline-flex items-center justify-center gap-1.5 rounded-lg border whitespace-nowrap transition-colors disabled:opacity-55 ${VARIANTS[variant]} ${isSmall ? 'min-h-8 px-2.5 text-[0.93rem]' : 'min-h-9 px-3.5'}`

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant
  small?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function Button({ variant = 'plain', small = false, className = '', type = 'button', ...rest }: Props) {
  return <button type={type} className={`${buttonClass(variant, small)} ${className}`} {...rest} />
}

interface IconProps extends Omit<Props, 'children' | 'variant' | 'small'> {
  label: string
  children: ReactNode
}

/** A button with an icon alone; its label is for screen readers and shown on hover. */
export function IconButton({ label, className = '', children, type = 'button', ...rest }: IconProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={`inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-soft transition-colors hover:bg-hover hover:text-text ${className}`}
      {...rest}
    >
      {children}
    </button>
  )
}
