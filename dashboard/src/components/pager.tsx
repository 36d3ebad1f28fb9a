import { ChevronLeft, ChevronRight } from 'lucide-react'
import { text } from '../messages/index.ts'
import { IconButton } from './button.tsx'

interface Props {
  page: number
  limit: number
  total: number
  onPage: (page: number) => void
}

/** Nothing where one page holds all. */
export function Pager({ page, limit, total, onPage }: Props) {
  if (total <= limit && page === 1) return null
  const from = (page - 1) * limit + 1
  return (
    <nav
      aria-label={text.list.page(from, Math.min(total, page * limit), total)}
      className="flex items-center justify-end gap-1 px-3 py-2 text-muted"
    >
      <span className="mr-2">{text.list.page(Math.min(from, total), Math.min(total, page * limit), total)}</span>
      <IconButton
        label={text.actions.previous}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
        className="disabled:opacity-40"
      >
        <ChevronLeft size={18} />
      </IconButton>
      <IconButton
        label={text.actions.next}
        disabled={page * limit >= total}
        onClick={() => onPage(page + 1)}
        className="disabled:opacity-40"
      >
        <ChevronRight size={18} />
      </IconButton>
    </nav>
  )
}
