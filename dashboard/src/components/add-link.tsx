import { Link, type LinkProps } from '@tanstack/react-router'
import { Plus } from './icons.tsx'
import { buttonClass } from './button.tsx'

interface Props {
  to: Extract<NonNullable<LinkProps['to']>, `${string}/add`>
  label: string
  small?: boolean
}

/** Opens the form for a new entry of a list. */
export function AddLink({ to, label, small = false }: Props) {
  return (
    <Link to={to} className={buttonClass('primary', small)}>
      <Plus size={small ? 15 : 16} aria-hidden="true" />
      {label}
    </Link>
  )
}
