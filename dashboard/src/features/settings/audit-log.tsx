import type { AuditEvent } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { Pager } from '../../components/pager.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Instant } from '../../components/time.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.audit
const route = getRouteApi('/settings/{-$section}')
const LIMIT = 50
const here = { to: '/settings/{-$section}', params: { section: 'audit' } } as const

const COLUMNS: Column<AuditEvent>[] = [
  { head: words.at, cell: ({ at }) => <Instant at={at} format={dayAndClock} /> },
  { head: words.actor, cell: ({ actor }) => (actor.type === 'system' ? words.system : (actor.email ?? actor.name ?? actor.id)) },
  { head: words.action, cell: ({ action }) => text.overview.actions[action] ?? action },
  { head: words.target, cell: ({ details, target }) => targetOf(details) || (target?.id ?? text.unknown), isExtra: true },
  { head: words.ip, cell: ({ ip }) => ip ?? text.unknown, isExtra: true },
]

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
        <Table label={words.title} columns={COLUMNS} rows={events.data.audit_events} keyOf={({ id }) => id} />
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

function targetOf(details: Record<string, unknown>): string {
  const name = details['name'] ?? details['hostname'] ?? details['email']
  return typeof name === 'string' ? name : ''
}
