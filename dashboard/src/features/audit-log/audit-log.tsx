import type { AuditEvent } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ListPanel } from '../../components/list-panel.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { auditedName } from '../../lib/audit.ts'
import { dayAndClock } from '../../lib/time.ts'
import { auditActions } from '../../messages/audit-actions.ts'
import { messages } from '../../messages/index.ts'

const text = messages.settings.audit
const route = getRouteApi('/settings/{-$section}')
const PAGE_LIMIT = 50

export function AuditLog() {
  const { client, organizationId } = useViewer()
  const { page = 1, action } = route.useSearch()
  const navigate = useNavigate({ from: '/settings/{-$section}' })
  const events = useQuery({
    queryKey: [organizationId, 'audit', page, action ?? ''],
    queryFn: ({ signal }) =>
      client.auditEvents.list({ page, limit: PAGE_LIMIT, ...(action === undefined ? {} : { action }) }, { signal }),
    placeholderData: keepPreviousData,
  })
  const filter = (
    <select
      aria-label={text.filter}
      value={action ?? ''}
      onChange={({ target: { value } }) => void navigate({ search: value === '' ? {} : { action: value } })}
      className="field min-h-9 w-auto max-w-full py-1"
    >
      <option value="">{text.all}</option>
      {Object.entries(auditActions).map(([value, name]) => (
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
      isFiltered={action !== undefined}
      query={events}
      rowsOf={({ audit_events }) => audit_events}
      row={(event) => <EventRow key={event.id} event={event} />}
      limit={PAGE_LIMIT}
    />
  )
}

/** On narrow screens in two lines: the action and its target, then the actor and the time. */
function EventRow({ event: { at, actor, action, details, target, ip } }: { event: AuditEvent }) {
  const name = auditedName(details)
  const actorName = actor.type === 'system' ? text.system : (actor.email ?? actor.name ?? actor.id ?? messages.unknown)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 px-4 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)_13rem_8rem]">
      <p className="max-md:order-1 max-md:col-span-2 md:order-2 md:truncate">
        {auditActions[action] ?? action}{' '}
        {name === '' ? (
          <span className="font-mono text-[0.88rem] text-muted [overflow-wrap:anywhere]">{target?.id ?? ''}</span>
        ) : (
          <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
        )}
      </p>
      <span className="truncate text-soft max-md:order-2 max-md:text-[0.92rem] md:order-3" title={actorName}>
        {actorName}
      </span>
      <span className="whitespace-nowrap text-muted max-md:order-3 max-md:text-[0.92rem] md:order-1">
        <Instant at={at} format={dayAndClock} />
      </span>
      <span className="truncate text-right text-muted max-md:hidden md:order-4" title={`${text.ip} ${ip ?? messages.unknown}`}>
        {ip ?? messages.unknown}
      </span>
    </li>
  )
}
