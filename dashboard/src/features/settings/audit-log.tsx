import type { AuditEvent } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { Instant } from '../../components/time.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { auditedName } from '../../lib/audit.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.audit
const route = getRouteApi('/settings/{-$section}')
const LIMIT = 50
const here = { to: '/settings/{-$section}', params: { section: 'audit' } } as const

export function AuditLog() {
  const { client } = useViewer()
  const { page = 1, action } = route.useSearch()
  const navigate = useNavigate({ from: '/settings/{-$section}' })
  const events = useQuery({
    queryKey: [useScope(), 'audit', page, action ?? ''],
    queryFn: ({ signal }) =>
      client.auditEvents.list({ page, limit: LIMIT, ...(action === undefined ? {} : { action }) }, { signal }),
    placeholderData: keepPreviousData,
  })
  const filter = (
    <select
      aria-label={words.filter}
      value={action ?? ''}
      onChange={(event) => void navigate({ ...here, search: event.target.value === '' ? {} : { action: event.target.value } })}
      className="field min-h-9 w-auto py-1"
    >
      <option value="">{words.all}</option>
      {Object.entries(text.overview.actions).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
  return (
    <Panel title={words.title} flush aside={filter}>
      {events.isError && <Trouble error={events.error} onRetry={() => void events.refetch()} />}
      {events.isPending && <SkeletonRows />}
      {events.data && events.data.audit_events.length > 0 && (
        <ul aria-label={words.title} className="divide-y divide-line border-line border-t">
          {events.data.audit_events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ul>
      )}
      {events.data?.audit_events.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{words.none}</p>}
      {events.data && (
        <Pager
          page={page}
          limit={LIMIT}
          total={events.data.total}
          onPage={(next) => void navigate({ ...here, search: { page: next, ...(action === undefined ? {} : { action }) } })}
        />
      )}
    </Panel>
  )
}

/** On narrow screens in two lines: what was done to what, then who did it and when. */
function EventRow({ event: { at, actor, action, details, target, ip } }: { event: AuditEvent }) {
  const name = auditedName(details)
  const who = actor.type === 'system' ? words.system : (actor.email ?? actor.name ?? actor.id ?? text.unknown)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 px-4 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)_13rem_8rem]">
      <p className="max-md:order-1 max-md:col-span-2 md:order-2 md:truncate">
        {text.overview.actions[action] ?? action}{' '}
        {name === '' ? (
          <span className="font-mono text-[0.88rem] text-muted [overflow-wrap:anywhere]">{target?.id ?? ''}</span>
        ) : (
          <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
        )}
      </p>
      <span className="truncate text-soft max-md:order-2 max-md:text-[0.92rem] md:order-3" title={who}>
        {who}
      </span>
      <span className="whitespace-nowrap text-muted max-md:order-3 max-md:text-[0.92rem] md:order-1">
        <Instant at={at} format={dayAndClock} />
      </span>
      <span className="truncate text-right text-muted max-md:hidden md:order-4" title={`${words.ip} ${ip ?? text.unknown}`}>
        {ip ?? text.unknown}
      </span>
    </li>
  )
}
