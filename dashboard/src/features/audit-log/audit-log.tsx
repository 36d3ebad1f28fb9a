import type { AuditEvent } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { EVENT_PAGE_LIMIT, EventLog, EventRow, useEventSearch } from '../../components/event-log.tsx'
import { useViewer } from '../../lib/api.ts'
import { auditedName } from '../../lib/audit.ts'
import { auditActions } from '../../messages/audit-actions.ts'
import { messages } from '../../messages/index.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.audit

export function AuditLog() {
  const { client, organizationId } = useViewer()
  const { page, action } = useEventSearch()
  const events = useQuery({
    queryKey: [organizationId, 'audit', page, action ?? ''],
    queryFn: ({ signal }) =>
      client.auditEvents.list({ page, limit: EVENT_PAGE_LIMIT, ...(action === undefined ? {} : { action }) }, { signal }),
    placeholderData: keepPreviousData,
  })
  const row = (event: AuditEvent) => <AuditRow key={event.id} event={event} />
  return <EventLog texts={text} kinds={auditActions} query={events} rowsOf={({ audit_events }) => audit_events} row={row} />
}

function AuditRow({ event: { at, actor, action, details, target, ip } }: { event: AuditEvent }) {
  const name = auditedName(details)
  const actorName = actor.type === 'system' ? text.system : (actor.email ?? actor.name ?? actor.id ?? messages.unknown)
  const from = ip ?? messages.unknown
  return (
    <EventRow at={at} actor={actorName} ip={from} ipTitle={`${text.ip} ${from}`}>
      {auditActions[action] ?? action}{' '}
      {name === '' ? (
        <span className="font-mono text-[0.88rem] text-muted [overflow-wrap:anywhere]">{target?.id ?? ''}</span>
      ) : (
        <span className="font-medium [overflow-wrap:anywhere]">{name}</span>
      )}
    </EventRow>
  )
}
