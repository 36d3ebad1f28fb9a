import type { AuditEvent } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { hasPage, ResourceLink } from '../../components/resource-link.tsx'
import { EVENT_PAGE_LIMIT, EventLog, EventRow, useEventSearch } from '../../components/event-log.tsx'
import { useViewer } from '../../lib/api.ts'
import { actorName } from '../../lib/person.ts'
import { startOfDay } from '../../lib/start-of-day.ts'
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
  const from = ip ?? messages.unknown
  return (
    <EventRow at={at} actor={actorName(actor, text.system)} ip={from} ipTitle={`${text.ip} ${from}`}>
      {auditActions[action] ?? action}{' '}
      {target && hasPage(target.type) && present !== null ? (
        <ResourceLink type={target.type} id={target.id}>
          {present}
        </ResourceLink>
      ) : (
        // What no longer exists has the name of that time; what never had one is said by the action.
        <bdi className="font-medium [overflow-wrap:anywhere]">{name || present}</bdi>
      )}
    </EventRow>
  )
}

type Filters = Omit<ReturnType<typeof useEventSearch>, 'page'>

/** The filters of the API: whole days of the zone of the viewer. A day that is none is no filter. */
function toQuery({ action, q, from, to }: Filters) {
  const [first, last] = [startOfDay(from), startOfDay(to && nextDay(to))]
  return {
    ...(action !== undefined && { action }),
    ...(q !== undefined && { q }),
    ...(first !== undefined && { from: first }),
    ...(last !== undefined && { to: last }),
  }
}

/** `2026-12-01` of `2026-11-30`. */
function nextDay(day: string): string | undefined {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(ms) ? undefined : new Date(ms + DAY_MS).toISOString().slice(0, 10)
}
