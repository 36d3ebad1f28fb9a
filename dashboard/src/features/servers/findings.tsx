import type { HealthFinding, ServerDetails } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { findingName, tabOfFinding } from '../../lib/health.ts'
import { messages } from '../../messages/index.ts'
import type { ServerTab } from './entities/tabs.ts'

/** What is wrong with a server, worst first, with a link to what each finding is about. */
export function Findings({ server: { id, health }, tabs }: { server: ServerDetails; tabs: readonly ServerTab[] }) {
  if (health.findings.length === 0) return null
  return (
    <Panel title={messages.health.title} flush>
      <ul className="max-h-96 divide-y divide-line overflow-y-auto border-line border-t">
        {health.findings.map((finding) => (
          <li key={`${finding.code} ${finding.text}`}>
            <FindingLine serverId={id} finding={finding} tabs={tabs} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const LINE =
  'grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-1 sm:grid-cols-[7.5rem_minmax(0,1fr)_auto] px-4 py-2.5'

function FindingLine({ serverId, finding, tabs }: { serverId: string; finding: HealthFinding; tabs: readonly ServerTab[] }) {
  const { code, severity, text, since, entity_id: entity } = finding
  const tab = tabs.find((one) => one === tabOfFinding(finding))
  const content = (
    <>
      <span>
        <StatusBadge status={severity} />
      </span>
      <span className="min-w-0 [overflow-wrap:anywhere] max-sm:order-1 max-sm:col-span-2">
        <span className="font-semibold">{findingName(code)}</span>
        <span className="block text-[0.93rem] text-soft">{text}</span>
      </span>
      <span className="text-right text-[0.93rem] text-muted">
        <Ago at={since} />
      </span>
    </>
  )
  if (tab === undefined) return <div className={LINE}>{content}</div>
  return (
    <Link
      to="/servers/$serverId/$tab"
      params={{ serverId, tab }}
      search={entity === null ? {} : { entity }}
      className={`${LINE} hover:bg-hover`}
    >
      {content}
    </Link>
  )
}
