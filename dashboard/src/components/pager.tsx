import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from './icons.tsx'
import { messages } from '../messages/index.ts'
import { IconButton } from './button.tsx'

/** The page of the list on display, from the URL. */
export const useListPage = (): number => useSearch({ strict: false }).page ?? 1

/** Empty where one page holds everything. */
export function Pager({ limit, total }: { limit: number; total: number }) {
  const page = useListPage()
  const navigate = useNavigate()
  if (total <= limit && page === 1) return null
  const open = (next: number) => void navigate({ to: '.', search: (search) => ({ ...search, page: next }) })
  const label = messages.list.page(Math.min((page - 1) * limit + 1, total), Math.min(total, page * limit), total)
  return (
    <nav aria-label={label} className="flex items-center justify-end gap-1 px-3 py-2 text-muted">
      <span className="mr-2">{label}</span>
      <IconButton
        label={messages.actions.previous}
        disabled={page <= 1}
        onClick={() => open(page - 1)}
        className="disabled:opacity-40"
      >
        <ChevronLeft size={18} />
      </IconButton>
      <IconButton
        label={messages.actions.next}
        disabled={page * limit >= total}
        onClick={() => open(page + 1)}
        className="disabled:opacity-40"
      >
        <ChevronRight size={18} />
      </IconButton>
    </nav>
  )
}
