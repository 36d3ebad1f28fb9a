import type { UseQueryResult } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dayAndClock } from '../lib/time.ts'
import { ChoiceFilter, DayFilter } from './filters.tsx'
import type { EmptyListTexts } from './page.tsx'
import { SearchBox } from './search-box.tsx'
import { ListPanel } from './list-panel.tsx'
import { Instant } from './time.tsx'

const route = getRouteApi('/settings/{-$section}')
export const EVENT_PAGE_LIMIT = 50

interface Props<Answer, Row> {
  texts: { title: string; empty: EmptyListTexts; filter: string; all: string }
  /** What the list can be filtered by, with its name. */
  kinds: Readonly<Record<string, string>>
  query: UseQueryResult<Answer, unknown>
  rowsOf: (answer: Answer) => readonly Row[]
  row: (row: Row) => ReactNode
  /** The labels of search and days, where the log has them. */
  search?: { label: string; from: string; to: string }
}

/** The page and the filters in the address. `from` and `to`: days in the zone of the viewer, both included. */
export function useEventSearch() {
  const { page = 1, ...filters } = route.useSearch()
  return { page, ...filters }
}

/** A log of the organization, on a page of the settings. */
export function EventLog<Answer extends object, Row>({ texts, kinds, search, ...list }: Props<Answer, Row>) {
  const { page: _page, ...filters } = useEventSearch()
  const { action, q = '' } = filters
  const navigate = useNavigate({ from: '/settings/{-$section}' })
  // Without the page: it belongs to another list. What is typed makes no step back of its own.
  const set = (change: Partial<typeof filters>, replace = false) => {
    const all = Object.entries({ ...filters, ...change }).filter(([, value]) => value !== undefined && value !== '')
    void navigate({ search: Object.fromEntries(all), replace })
  }
  const day = (name: 'from' | 'to', label: string) => (
    <DayFilter label={label} value={filters[name]} onChange={(chosen) => set({ [name]: chosen })} />
  )
  const { filter: label, all } = texts
  const filter = (
    <ChoiceFilter {...{ label, all }} options={kinds} value={action} onChange={(chosen) => set({ action: chosen })} />
  )
  const { title, empty } = texts
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      {search && (
        <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchBox value={q} label={search.label} onSearch={(text) => set({ q: text }, true)} />
          {day('from', search.from)}
          {day('to', search.to)}
        </div>
      )}
      <ListPanel {...{ title, empty, filter }} isFiltered={isFiltered} limit={EVENT_PAGE_LIMIT} {...list} />
    </>
  )
}

interface RowProps {
  at: string
  actor: string
  /** The address it came from, with what a pointer shows. */
  ip: string
  ipTitle: string
  children: ReactNode
}

/** On narrow screens in two lines: what happened, then who and when. */
export function EventRow({ at, actor, ip, ipTitle, children }: RowProps) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 px-4 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)_13rem_8rem]">
      <p className="max-md:order-1 max-md:col-span-2 md:order-2 md:truncate">{children}</p>
      <span className="truncate text-soft max-md:order-2 max-md:text-[0.92rem] md:order-3" title={actor}>
        {actor}
      </span>
      <span className="whitespace-nowrap text-muted max-md:order-3 max-md:text-[0.92rem] md:order-1">
        <Instant at={at} format={dayAndClock} />
      </span>
      <span className="truncate text-right text-muted max-md:hidden md:order-4" title={ipTitle}>
        {ip}
      </span>
    </li>
  )
}
