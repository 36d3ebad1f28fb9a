import { useNavigate, useSearch } from '@tanstack/react-router'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ROW_EVENT } from '../lib/open-row.ts'
import { useMedia } from '../lib/use-media.ts'
import { setPageTitle } from '../lib/window-title.ts'
import { messages } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { X } from './icons.tsx'

interface Props {
  /** Of the list. */
  title: string
  /** The page of a row, without what belongs to its address. */
  detail: (id: string) => ReactNode
  /** Opens the page of a row. */
  onOpen: (id: string) => void
  /** The list. */
  children: ReactNode
}

/** Narrower screens show the list alone. */
const WIDE = '(min-width: 80rem)'
/** Rows that the keyboard passes are not read. */
const SETTLED_MS = 200

/**
 * A list, and next to it the page of the row that the address names as `open`. The next and the previous row by the keyboard open it, and
 * then a click on another row changes it. Enter, and a click on the row that is open, lead to its page.
 */
export function SideBySide({ title, detail, onOpen, children }: Props) {
  const navigate = useNavigate()
  const { open: chosen } = useSearch({ strict: false })
  const isWide = useMedia(WIDE)
  const open = isWide ? chosen : undefined
  const shown = useSettled(open)
  const list = useRef<HTMLDivElement>(null)
  const select = (id: string | undefined) => {
    // The first one is a step of its own to go back to. The address of every list takes `open`.
    const search = ({ open: _open, ...rest }: { open?: string }) => (id === undefined ? rest : { ...rest, open: id })
    void navigate({ to: '.', search: search as never, replace: open !== undefined && id !== undefined, resetScroll: false })
  }
  useEffect(() => {
    const element = list.current
    const choose = ({ target }: Event) => {
      const id = rowOf(target)
      if (isWide && id !== undefined) select(id)
    }
    element?.addEventListener(ROW_EVENT, choose)
    return () => element?.removeEventListener(ROW_EVENT, choose)
  })
  useEffect(() => {
    // The page next to it names itself.
    if (open === undefined) setPageTitle(title)
  }, [open, title])
  const click = (event: MouseEvent) => {
    const id = rowOf(event.target)
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    // A click by Enter has no detail.
    if (open === undefined || id === undefined || id === open || !isPlain || event.detail === 0) return
    event.preventDefault()
    select(id)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && open !== undefined) select(undefined)
  }
  return (
    <div className={open === undefined ? '' : 'grid grid-cols-[26rem_minmax(0,1fr)] items-start gap-5'}>
      {/* Links of rows, by mouse and keyboard. */}
      <div
        ref={list}
        role="presentation"
        onClickCapture={click}
        onKeyDown={press}
        className={open === undefined ? '' : ONE_COLUMN}
      >
        {children}
      </div>
      {open !== undefined && (
        <section aria-label={messages.list.aside} className="sticky top-4 max-h-[calc(100dvh-2rem)] overflow-y-auto">
          <div className="mb-2 flex items-center justify-end gap-2">
            <Button small onClick={() => onOpen(open)}>
              {messages.list.openPage}
            </Button>
            <IconButton label={messages.actions.close} onClick={() => select(undefined)}>
              <X size={18} aria-hidden="true" />
            </IconButton>
          </div>
          {shown !== undefined && <div key={shown}>{detail(shown)}</div>}
        </section>
      )}
    </div>
  )
}

/** What a row has up to its name; the rest is next to it. */
const ONE_COLUMN =
  'min-w-0 [&_[data-columns]]:hidden [&_[data-rows]>li]:flex! [&_[data-rows]>li>:has(a)]:flex-1! [&_[data-rows]>li>:has(a)~*]:hidden!'

/** The id in the address of a row that this is the link of. */
function rowOf(target: EventTarget | null): string | undefined {
  const link = target instanceof Element ? target.closest('a') : null
  if (!link || link !== link.closest('[data-rows] > li')?.querySelector('a')) return undefined
  return new URL(link.href).pathname.split('/').at(-1)
}

/** The id once it has not changed for a moment; the first one at once. */
function useSettled(id: string | undefined): string | undefined {
  const [settled, setSettled] = useState(id)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(id), settled === undefined ? 0 : SETTLED_MS)
    return () => clearTimeout(timer)
  }, [id, settled])
  return id === undefined ? undefined : settled
}
