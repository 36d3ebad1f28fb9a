import type { AuditEvent, LiveEvent, Overview } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { auditedName, nameIn } from '../../lib/audit.ts'
import { text } from '../../messages/index.ts'

const words = text.overview
const SHOWN = 8

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
          <li key={key} className="px-4 py-2">
            <p className="line-clamp-2 font-medium [overflow-wrap:anywhere]">{of === '' ? what : of}</p>
            <p className="flex items-baseline gap-x-3 text-[0.92rem] text-muted">
              <span className="min-w-0 flex-1 truncate" title={by === '' ? what : `${what}, ${by}`}>
                {of !== '' && what}
                {by !== '' && <> · {by}</>}
              </span>
              <span className="shrink-0">
                <Ago at={at} />
              </span>
            </p>
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
    of: auditedName(details),
    by: actor.email ?? actor.name ?? '',
  }
}
