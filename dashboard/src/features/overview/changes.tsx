import type { AuditEvent, LiveEvent, Overview } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'

const words = text.overview
const SHOWN = 12

interface Change {
  key: string
  at: string
  what: string
  of: string
  by: string
}

/** What happened in the last day, and what people, keys and hosts did, newest first. */
export function Changes({ overview: { changes, audit_events } }: { overview: Overview }) {
  const { can } = useViewer()
  const all = [...changes.map(ofEvent), ...(audit_events ?? []).flatMap((event) => ofAudit(event) ?? [])]
  const shown = all.toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, SHOWN)
  return (
    <Panel
      title={words.changed}
      flush
      aside={
        can('audit:read') && (
          <Link to="/settings/{-$section}" params={{ section: 'audit' }} className="text-accent hover:underline">
            {words.auditLog}
          </Link>
        )
      }
    >
      {shown.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{words.noChange}</p>}
      <ul className="divide-y divide-line border-line border-t">
        {shown.map(({ key, at, what, of, by }) => (
          <li key={key} className="flex items-baseline gap-4 px-4 py-2">
            <span className="min-w-0 flex-1 truncate" title={`${what} ${of}`}>
              <span className="text-soft">{what}</span> <span className="font-medium">{of}</span>
            </span>
            <span className="hidden max-w-40 truncate text-muted sm:block">{by}</span>
            <span className="shrink-0 text-muted">
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const ofEvent = ({ id, type, timestamp, data }: LiveEvent): Change => ({
  key: id,
  at: timestamp,
  what: text.alerts.channels.eventNames[type] ?? type,
  of:
    nameIn(data['incident'], 'summary') ||
    nameIn(data['monitor']) ||
    nameIn(data['server']) ||
    nameIn(data['member'], 'email') ||
    nameIn(data['problem'], 'message'),
  by: '',
})

/** Undefined for what an event tells already. */
function ofAudit({ id, action, at, details, actor }: AuditEvent): Change | undefined {
  if (action === 'incident.acknowledged' || action === 'incident.resolved' || action.startsWith('member.')) return undefined
  return {
    key: id,
    at,
    what: words.actions[action] ?? action,
    of: nameIn(details) || nameIn(details, 'hostname') || nameIn(details, 'email') || nameIn(details, 'summary'),
    by: actor.email ?? actor.name ?? '',
  }
}

function nameIn(value: unknown, field = 'name'): string {
  const name = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined
  return typeof name === 'string' ? name : ''
}
