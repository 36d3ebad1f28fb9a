import { ArrowDown, ArrowUp } from './icons.tsx'
import { nextSort } from '../lib/list-search.ts'

interface Props {
  label: string
  /** The sort name of the API; without one the column cannot be sorted. */
  name?: string
  sort: string | undefined
  descendingFirst?: boolean
  onSort: (sort: string | undefined) => void
  className?: string
}

/** The header of a column; a click sorts the list by it. */
export function ColumnHeader({ label, name, sort, descendingFirst = false, onSort, className = '' }: Props) {
  if (name === undefined) return <span className={className}>{label}</span>
  const isUp = sort === name
  const isDown = sort === `-${name}`
  return (
    <span className={className}>
      <button
        type="button"
        aria-pressed={isUp || isDown}
        onClick={() => onSort(nextSort(sort, name, descendingFirst))}
        className={`inline-flex items-center gap-1 hover:text-text ${isUp || isDown ? 'font-semibold text-text' : ''}`}
      >
        {label}
        {isUp && <ArrowUp size={13} aria-hidden="true" />}
        {isDown && <ArrowDown size={13} aria-hidden="true" />}
      </button>
    </span>
  )
}
