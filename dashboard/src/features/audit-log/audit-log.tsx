import type { AuditEvent } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EVENT_PAGE_LIMIT, EventLog, EventRow, useEventSearch } from '../../components/event-log.tsx'
import { useViewer } from '../../lib/api.ts'
import { actorText } from '../../lib/person.ts'
import { viewerZone } from '../../lib/time.ts'
import { instantAt } from '../../lib/time-zone.ts'
import { auditedName } from '../../lib/audit.ts'
import { auditActions } from '../../messages/audit-actions.ts'
import { messages } from '../../messages/index.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.audit

export function AuditLog() {
  const { client, organizationId } = useViewer()
  const { page, ...filters } = useEventSearch()
  const query = toQuery(filters)
  const events = useQuery({
    queryKey: [organizationId, 'audit', page, query],
    queryFn: ({ signal }) => client.auditEvents.list({ page, limit: EVENT_PAGE_LIMIT, ...query }, { signal }),
    placeholderData: keepPreviousData,
  })
  const row = (event: AuditEvent) => <AuditRow key={event.id} event={event} />
  return (
    <EventLog
      texts={text}
      kinds={auditActions}
      search={text.search}
      query={events}
      rowsOf={({ audit_events }) => audit_events}
      row={row}
    />
  )
}

function AuditRow({ event: { at, actor, action, details, target, target_name: present, ip } }: { event: AuditEvent }) {
  const name = auditedName(details)
  const page = target ? PAGES[target.type] : undefined
  const actorName = actor.type === 'system' ? text.system : (actorText(actor) ?? actor.id ?? messages.unknown)
  const from = ip ?? messages.unknown
  return (
    <EventRow at={at} actor={actorName} ip={from} ipTitle={`${text.ip} ${from}`}>
      {auditActions[action] ?? action}{' '}
      {target && page !== undefined && present !== null ? (
        <TargetLink page={page} id={target.id} name={present} />
      ) : (
        // What no longer exists has the name of that time; what never had one is said by the action.
        <bdi className="font-medium [overflow-wrap:anywhere]">{name || present}</bdi>
      )}
    </EventRow>
  )
}

/** Targets with a page of their own. */
const PAGES: Readonly<Record<string, string>> = {
  monitor: '/monitors/',
  server: '/servers/',
  incident: '/incidents/',
  alert_rule: '/alerts/rules/',
  channel: '/alerts/channels/',
  escalation_policy: '/alerts/policies/',
  schedule: '/alerts/on-call/',
  maintenance_window: '/alerts/maintenance/',
  slo: '/slos/',
  status_page: '/status-pages/',
  user: '/settings/members',
  api_key: '/settings/keys',
}

function TargetLink({ page, id, name }: { page: string; id: string; name: string }) {
  return (
    <Link to={page.endsWith('/') ? page + id : page} className="font-medium text-accent [overflow-wrap:anywhere] hover:underline">
      <bdi>{name}</bdi>
    </Link>
  )
}

type Filters = Omit<ReturnType<typeof useEventSearch>, 'page'>

/** The filters of the API: whole days of the zone of the viewer. A day that is none is no filter. */
function toQuery({ action, q, from, to }: Filters) {
  const startOf = (day: string | undefined) => (day === undefined ? undefined : instantAt(`${day}T00:00`, viewerZone()))
  const [first, last] = [startOf(from), startOf(to && nextDay(to))]
  return {
    ...(action !== undefined && { action }),
    ...(q !== undefined && { q }),
    ...(first !== undefined && { from: new Date(first).toISOString() }),
    ...(last !== undefined && { to: new Date(last).toISOString() }),
  }
}

/** `2026-12-01` of `2026-11-30`. */
function nextDay(day: string): string | undefined {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(ms) ? undefined : new Date(ms + DAY_MS).toISOString().slice(0, 10)
}
