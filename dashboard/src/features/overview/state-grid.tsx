import type { States } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, memo, type MouseEvent, type SyntheticEvent, useCallback, useMemo, useState } from 'react'
import { Panel } from '../../components/page.tsx'
import { StatusMark, toneOf } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { changePreferences, usePreferences } from '../../lib/preferences.ts'
import { groupStates, type StateGroup, tagKeysOf } from '../../lib/state-groups.ts'
import { shownStatus, type State, statesQuery } from '../../lib/states.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'
import { wall } from '../../messages/wall.ts'
import { type CellBox, nextCell } from './next-cell.ts'

const text = messages.overview.grid
/** Of a group. */
const MOST_NAMED = 24
const MOST_GROUPS = 60

/** Everything that is watched, one cell each; what is wrong with its name and age. */
export function StateGrid() {
  const { data } = useQuery(statesQuery(useViewer()))
  const { stateGroups } = usePreferences()
  const groups = useMemo(() => (data && stateGroups !== '' ? groupsOf(data, stateGroups) : undefined), [data, stateGroups])
  if (!data) return null
  return (
    <Panel title={text.title} aside={<Grouping states={data} chosen={stateGroups} />}>
      <div className="grid gap-3">{groups ? <Groups groups={groups} /> : <Kinds {...data} />}</div>
    </Panel>
  )
}

function groupsOf({ servers, monitors }: States, by: string): StateGroup[] {
  // A problem of a host comes before what follows from it.
  return groupStates([...servers, ...monitors], by.startsWith(KEY_PREFIX) ? by.slice(KEY_PREFIX.length) : undefined)
}

const KEY_PREFIX = 'key:'

function Grouping({ states: { servers, monitors }, chosen }: { states: States; chosen: string }) {
  const keys = useMemo(() => tagKeysOf([...servers, ...monitors]), [servers, monitors])
  const hasTags = [...servers, ...monitors].some(({ tags }) => tags.length > 0)
  if (!hasTags && chosen === '') return undefined
  return (
    <select
      aria-label={wall.groupBy}
      value={chosen}
      onChange={(event) => changePreferences({ stateGroups: event.target.value })}
      className="field min-h-8 w-auto py-0.5"
    >
      <option value="">{wall.byKind}</option>
      <option value="tag">{wall.byTag}</option>
      {keys.map((key) => (
        <option key={key} value={KEY_PREFIX + key}>
          {wall.byKey(key)}
        </option>
      ))}
    </select>
  )
}

function Kinds({ servers, monitors, servers_total, monitors_total }: States) {
  return (
    <>
      {servers.length > 0 && <Cells label={text.servers(servers_total)} states={servers} rest={servers_total - servers.length} />}
      {monitors.length > 0 && (
        <Cells label={text.monitors(monitors_total)} states={monitors} rest={monitors_total - monitors.length} />
      )}
    </>
  )
}

function Groups({ groups }: { groups: readonly StateGroup[] }) {
  const hidden = groups.length - MOST_GROUPS
  return (
    <>
      {groups.slice(0, MOST_GROUPS).map(({ label, states }) => (
        <Cells key={label ?? ''} label={label ?? wall.untagged} states={states} rest={0} />
      ))}
      {hidden > 0 && <p className="text-muted">{wall.moreGroups(hidden)}</p>}
    </>
  )
}

const pathOf = ({ id }: State): string => (id.startsWith('srv_') ? `/servers/${id}` : `/monitors/${id}`)

interface CellsProps {
  label: string
  states: readonly State[]
  /** How many more there are than the answer has. */
  rest: number
}

function Cells({ label, states, rest }: CellsProps) {
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
    const cells = [...event.currentTarget.querySelectorAll('a')]
    const next = nextCell(cells.map(boxOf), focused, event.key)
    if (next === undefined) return
    event.preventDefault()
    setFocused(next)
    cells[next]?.focus()
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
            href={pathOf(state)}
            label={textOf(state)}
            status={shownStatus(state)}
            named={index < MOST_NAMED && isTroubled(state) ? state : undefined}
            isReached={index === Math.min(focused, states.length - 1)}
          />
        ))}
      </ul>
      {rest > 0 && <p className="text-muted">{text.more(rest)}</p>}
    </section>
  )
}

const textOf = (state: State): string => [state.name, statusName(shownStatus(state)), ...state.tags].join(' · ')

const boxOf = ({ offsetLeft: left, offsetTop: top }: HTMLElement): CellBox => ({ left, top })

const isTroubled = (state: State): boolean => ['warn', 'bad'].includes(toneOf(shownStatus(state)))

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
  /** Shows its name, and since when it is so. */
  named: State | undefined
  /** Whether the Tab key reaches it; the arrow keys reach the others. */
  isReached: boolean
}

const Cell = memo(({ index, href, label, status, named, isReached }: CellProps) => (
  <li className="min-w-0">
    <a
      href={href}
      data-index={index}
      // What is named reads out what is shown.
      aria-label={named ? undefined : label}
      tabIndex={isReached ? 0 : -1}
      className={`tiny flex h-4 items-center rounded-sm font-bold text-[0.8rem] leading-4 hover:ring-2 hover:ring-text ${named ? 'h-5.5 gap-1.5 px-1.5' : 'w-4 justify-center'} ${COLOURS[toneOf(status)]}`}
    >
      <span aria-hidden="true">{SIGNS[toneOf(status)]}</span>
      {named && (
        <>
          <span className="max-w-40 truncate">{named.name}</span>
          <span className="sr-only">{statusName(status)}</span>
          {named.since !== null && (
            <span className="whitespace-nowrap font-normal">
              <Ago at={named.since} />
            </span>
          )}
        </>
      )}
    </a>
  </li>
))
