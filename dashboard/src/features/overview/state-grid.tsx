import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, memo, type MouseEvent, type SyntheticEvent, useCallback, useState } from 'react'
import { Panel } from '../../components/page.tsx'
import { StatusMark, toneOf } from '../../components/status.tsx'
import { useViewer } from '../../lib/api.ts'
import { shownStatus, type State, statesQuery } from '../../lib/states.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'

const text = messages.overview.grid

/** All servers and monitors, one cell each. */
export function StateGrid() {
  const { data } = useQuery(statesQuery(useViewer()))
  if (!data) return null
  const { servers, monitors, servers_total, monitors_total } = data
  return (
    <Panel title={text.title}>
      <div className="grid gap-3">
        {servers.length > 0 && (
          <Cells label={text.servers(servers_total)} states={servers} path="/servers/" rest={servers_total - servers.length} />
        )}
        {monitors.length > 0 && (
          <Cells
            label={text.monitors(monitors_total)}
            states={monitors}
            path="/monitors/"
            rest={monitors_total - monitors.length}
          />
        )}
      </div>
    </Panel>
  )
}

/** The width and height of a cell with its gap, px. */
const CELL_PX = 20

interface CellsProps {
  label: string
  states: readonly State[]
  path: string
  /** How many more there are than the answer has. */
  rest: number
}

function Cells({ label, states, path, rest }: CellsProps) {
  const navigate = useNavigate()
  const [focused, setFocused] = useState(0)
  const [pointed, setPointed] = useState<number>()
  const shown = states[pointed ?? Math.min(focused, states.length - 1)]
  const open = useCallback(
    (event: MouseEvent) => {
      const link = cellOf(event)
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      void navigate({ to: link.getAttribute('href') ?? '/' })
    },
    [navigate],
  )
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const columns = Math.max(1, Math.floor(event.currentTarget.clientWidth / CELL_PX))
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.min(Math.max(focused + step, 0), states.length - 1)
    setFocused(next)
    event.currentTarget.querySelectorAll('a')[next]?.focus()
  }
  return (
    <section>
      <h3 className="flex min-w-0 gap-2 text-[0.93rem]">
        <span className="shrink-0 font-semibold">{label}</span>
        {shown && (
          <span className="flex min-w-0 items-center gap-1.5 text-soft">
            <StatusMark status={shownStatus(shown)} className="size-2.5" />
            <span className="truncate">{textOf(shown)}</span>
          </span>
        )}
      </h3>
      <ul
        aria-label={label}
        className="mt-1.5 flex max-h-96 flex-wrap gap-1 overflow-y-auto p-0.5"
        onClick={open}
        onKeyDown={move}
        onPointerOver={(event) => setPointed(indexOf(event))}
        onPointerLeave={() => setPointed(undefined)}
        onFocus={(event) => setFocused(indexOf(event) ?? focused)}
      >
        {states.map((state, index) => (
          <Cell
            key={state.id}
            index={index}
            href={path + state.id}
            label={textOf(state)}
            status={shownStatus(state)}
            isReached={index === Math.min(focused, states.length - 1)}
          />
        ))}
      </ul>
      {rest > 0 && <p className="text-muted">{text.more(rest)}</p>}
    </section>
  )
}

const textOf = (state: State): string => [state.name, statusName(shownStatus(state)), ...state.tags].join(' · ')

const cellOf = (event: SyntheticEvent): HTMLAnchorElement | null =>
  event.target instanceof Element ? event.target.closest('a') : null
function indexOf(event: SyntheticEvent): number | undefined {
  const index = cellOf(event)?.dataset['index']
  return index === undefined ? undefined : Number(index)
}

const COLOURS = {
  good: 'bg-good-bar',
  warn: 'bg-warn text-ground',
  bad: 'bg-bad text-ground',
  idle: 'bg-idle-ground text-idle',
} as const
/** For people who do not see the colours. */
const SIGNS = { good: '', warn: '!', bad: '×', idle: '–' } as const

interface CellProps {
  index: number
  href: string
  label: string
  status: string
  /** Whether the Tab key reaches it; the arrow keys reach the others. */
  isReached: boolean
}

const Cell = memo(({ index, href, label, status, isReached }: CellProps) => (
  <li>
    <a
      href={href}
      data-index={index}
      aria-label={label}
      tabIndex={isReached ? 0 : -1}
      className={`block size-4 rounded-sm text-center font-bold text-[0.8rem] leading-4 hover:ring-2 hover:ring-text ${COLOURS[toneOf(status)]}`}
    >
      <span aria-hidden="true">{SIGNS[toneOf(status)]}</span>
    </a>
  </li>
))
