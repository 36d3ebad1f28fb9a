import type { SecurityEvent } from '@vedette/shared'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { EVENT_PAGE_LIMIT, EventLog, EventRow, useEventSearch } from '../../components/event-log.tsx'
import { useViewer } from '../../lib/api.ts'
import { auditedName, nameIn } from '../../lib/audit.ts'
import { actorText } from '../../lib/person.ts'
import { messages } from '../../messages/index.ts'
import { settingsPages } from '../../messages/settings-pages.ts'
import { securityEvents } from '../../messages/security-events.ts'

const text = settingsPages.securityLog

export function SecurityLog() {
  const { client, organizationId } = useViewer()
  // The filter of the settings' lists has one name in the address.
  const { page, action: type } = useEventSearch()
  const events = useQuery({
    queryKey: [organizationId, 'security log', page, type ?? ''],
    queryFn: ({ signal }) =>
      client.securityEvents.list({ page, limit: EVENT_PAGE_LIMIT, ...(type === undefined ? {} : { type }) }, { signal }),
    placeholderData: keepPreviousData,
  })
  const row = (event: SecurityEvent) => <SecurityRow key={event.id} event={event} />
  return (
    <EventLog texts={text} kinds={securityEvents} query={events} rowsOf={({ security_events }) => security_events} row={row} />
  )
}

function SecurityRow({ event: { at, actor, type, details, ip, user_agent: program } }: { event: SecurityEvent }) {
  const { system } = settingsPages.audit
  const who = actor === null ? text.nobody : actor.type === 'system' ? system : (actorText(actor) ?? actor.id ?? text.nobody)
  const count = typeof details['count'] === 'number' ? `× ${details['count']}` : ''
  const about = auditedName(details) || nameIn(details, 'network') || nameIn(details, 'last')
  return (
    <EventRow at={at} actor={who} ip={ip ?? messages.unknown} ipTitle={program ?? ''}>
      {securityEvents[type] ?? type} <span className="font-medium [overflow-wrap:anywhere]">{about}</span> {count}
    </EventRow>
  )
}
