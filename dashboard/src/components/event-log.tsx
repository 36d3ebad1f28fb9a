import type { UseQueryResult } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dayAndClock } from '../lib/time.ts'
import type { EmptyListTexts } from './page.tsx'
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
}

/** The page and the filter in the address. */
export function useEventSearch() {
  const { page = 1, action } = route.useSearch()
  return { page, action }
}

/** A log of the organization, on a page of the settings. */
export function EventLog<Answer extends object, Row>({ texts, kinds, ...list }: Props<Answer, Row>) {
  const { action } = useEventSearch()
  const navigate = useNavigate({ from: '/settings/{-$section}' })
  const filter = (
    <select
      aria-label={texts.filter}
      value={action ?? ''}
      onChange={({ target: { value } }) => void navigate({ search: value === '' ? {} : { action: value } })}
      className="field min-h-9 w-auto max-w-full py-1"
    >
      <option value="">{texts.all}</option>
      {Object.entries(kinds).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
  const { title, empty } = texts
  return <ListPanel {...{ title, empty, filter }} isFiltered={action !== undefined} limit={EVENT_PAGE_LIMIT} {...list} />
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
