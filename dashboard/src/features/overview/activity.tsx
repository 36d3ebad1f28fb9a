import type { AuditEvent, LiveEvent, Overview } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { auditedName, nameIn } from '../../lib/audit.ts'
import { actorText, personIn } from '../../lib/person.ts'
import { auditActions } from '../../messages/audit-actions.ts'
import { messages } from '../../messages/index.ts'

const text = messages.overview
const SHOWN = 8

interface ActivityEntry {
  key: string
  at: string
  what: string
  of: string
  by: string
}

/** Live events and audit entries of the last day, newest first. */
export function RecentActivity({ overview: { changes, audit_events } }: { overview: Overview }) {
  const { can } = useViewer()
  const all = [...changes.map(ofEvent), ...(audit_events ?? []).flatMap((event) => ofAudit(event) ?? [])]
  const shown = all.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN)
  return (
    <Panel
      title={text.activity}
      flush
      aside={
        can('audit:read') && (
          <Link to="/settings/{-$section}" params={{ section: 'audit' }} className="text-accent hover:underline">
            {text.auditLog}
          </Link>
        )
      }
    >
      {shown.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{text.noActivity}</p>}
      <ul className="divide-y divide-line border-line border-t">
        {shown.map(({ key, at, what, of, by }) => (
          <li key={key} className="px-4 py-2">
            <p className="line-clamp-2 font-medium">{of === '' ? what : of}</p>
            <p className="flex items-baseline gap-x-3 text-[0.92rem] text-muted">
              <span className="min-w-0 flex-1 truncate" title={by === '' ? what : `${what}, ${by}`}>
                {[of === '' ? '' : what, by].filter((part) => part !== '').join(' · ')}
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

const ofEvent = ({ id, type, timestamp, data }: LiveEvent): ActivityEntry => ({
  key: id,
  at: timestamp,
  what: messages.events[type] ?? type,
  of:
    nameIn(data['incident'], 'summary') ||
    nameIn(data['monitor']) ||
    nameIn(data['server']) ||
    personIn(data['member']) ||
    nameIn(data['problem'], 'message'),
  by: personIn(data['user']),
})

/** Undefined for actions that have a live event as well. */
function ofAudit({ id, action, at, details, actor }: AuditEvent): ActivityEntry | undefined {
  if (action === 'incident.acknowledged' || action === 'incident.resolved' || action.startsWith('member.')) return undefined
  return {
    key: id,
    at,
    what: auditActions[action] ?? action,
    of: auditedName(details),
    by: actorText(actor) ?? '',
  }
}
