import type { AuditEvent } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Panel, SkeletonRows } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { every, useScope, useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'

const words = text.overview
const DAY_MS = 86_400_000
const SHOWN = 8

/** What people, keys and hosts did in the last day. */
export function Changes() {
  const { client } = useViewer()
  const events = useQuery({
    queryKey: [useScope(), 'audit', 'last day'],
    queryFn: ({ signal }) =>
      client.auditEvents.list({ from: new Date(Date.now() - DAY_MS).toISOString(), limit: SHOWN }, { signal }),
    refetchInterval: every(60_000),
  })
  return (
    <Panel
      title={words.changed}
      flush
      aside={
        <Link to="/settings/{-$section}" params={{ section: 'audit' }} className="text-accent hover:underline">
          {words.all}
        </Link>
      }
    >
      {events.data ? <List events={events.data.audit_events} /> : <SkeletonRows rows={SHOWN} />}
    </Panel>
  )
}

function List({ events }: { events: readonly AuditEvent[] }) {
  if (events.length === 0) return <p className="border-line border-t px-4 py-3 text-muted">{words.noChange}</p>
  return (
    <ul className="divide-y divide-line border-line border-t">
      {events.map((event) => (
        <li key={event.id} className="flex items-baseline gap-4 px-4 py-2">
          <span className="min-w-0 flex-1 truncate">
            <span className="text-soft">{words.actions[event.action] ?? event.action}</span>{' '}
            <span className="font-medium">{nameIn(event.details)}</span>
          </span>
          <span className="hidden max-w-40 truncate text-muted sm:block">{event.actor.email ?? event.actor.name ?? ''}</span>
          <span className="shrink-0 text-muted">
            <Ago at={event.at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function nameIn(details: Record<string, unknown>): string {
  const name = details['name'] ?? details['hostname'] ?? details['email']
  return typeof name === 'string' ? name : ''
}
