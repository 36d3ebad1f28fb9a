import type { SecurityEvent } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ListPanel } from '../../components/list-panel.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { auditedName, nameIn } from '../../lib/audit.ts'
import { dayAndClock } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { securityEvents } from '../../messages/security-events.ts'

const text = messages.settings.securityLog
const route = getRouteApi('/settings/{-$section}')
const PAGE_LIMIT = 50

export function SecurityLog() {
  const { client, organizationId } = useViewer()
  // The filter of the settings' lists has one name in the address.
  const { page = 1, action: type } = route.useSearch()
  const navigate = useNavigate({ from: '/settings/{-$section}' })
  const events = useQuery({
    queryKey: [organizationId, 'security log', page, type ?? ''],
    queryFn: ({ signal }) =>
      client.securityEvents.list({ page, limit: PAGE_LIMIT, ...(type === undefined ? {} : { type }) }, { signal }),
    placeholderData: keepPreviousData,
  })
  const filter = (
    <select
      aria-label={text.filter}
      value={type ?? ''}
      onChange={({ target: { value } }) => void navigate({ search: value === '' ? {} : { action: value } })}
      className="field min-h-9 w-auto max-w-full py-1"
    >
      <option value="">{text.all}</option>
      {Object.entries(securityEvents).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
  return (
    <ListPanel
      title={text.title}
      empty={text.empty}
      filter={filter}
      isFiltered={type !== undefined}
      query={events}
      rowsOf={({ security_events }) => security_events}
      row={(event) => <EventRow key={event.id} event={event} />}
      limit={PAGE_LIMIT}
    />
  )
}

/** On narrow screens in two lines: what happened, then who and when. */
function EventRow({ event: { at, actor, type, details, ip, user_agent: program } }: { event: SecurityEvent }) {
  const { system } = messages.settings.audit
  const who =
    actor === null ? text.nobody : actor.type === 'system' ? system : (actor.email ?? actor.name ?? actor.id ?? text.nobody)
  const count = typeof details['count'] === 'number' ? `× ${details['count']}` : ''
  const about = auditedName(details) || nameIn(details, 'network') || nameIn(details, 'last')
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 px-4 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)_13rem_8rem]">
      <p className="max-md:order-1 max-md:col-span-2 md:order-2 md:truncate">
        {securityEvents[type] ?? type} <span className="font-medium [overflow-wrap:anywhere]">{about}</span> {count}
      </p>
      <span className="truncate text-soft max-md:order-2 max-md:text-[0.92rem] md:order-3" title={who}>
        {who}
      </span>
      <span className="whitespace-nowrap text-muted max-md:order-3 max-md:text-[0.92rem] md:order-1">
        <Instant at={at} format={dayAndClock} />
      </span>
      <span className="truncate text-right text-muted max-md:hidden md:order-4" title={program ?? ''}>
        {ip ?? messages.unknown}
      </span>
    </li>
  )
}
