import type { HealthFinding, ServerDetails } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Ago } from '../../components/time.tsx'
import { findingName, tabOfFinding } from '../../lib/health-tabs.ts'
import { findings as text } from '../../messages/findings.ts'
import { messages } from '../../messages/index.ts'
import type { ServerTab } from '../../lib/entity-tabs.ts'

/** What is wrong with a server, worst first, with a link to what each finding is about. */
export function Findings({ server: { id, health }, tabs }: { server: ServerDetails; tabs: readonly ServerTab[] }) {
  const { findings } = health
  if (findings.length === 0) return null
  const [shown, others] = [findings.slice(0, SHOWN), findings.slice(SHOWN)]
  return (
    <Panel title={text.title} flush>
      <Lines serverId={id} findings={shown} tabs={tabs} />
      {others.length > 0 && (
        <details>
          <summary className="cursor-pointer border-line border-t px-4 py-2 font-medium">
            {messages.health.more(others.length)}
          </summary>
          <Lines serverId={id} findings={others} tabs={tabs} />
        </details>
      )}
    </Panel>
  )
}

/** The others are folded. */
const SHOWN = 6

interface LinesProps {
  serverId: string
  findings: readonly HealthFinding[]
  tabs: readonly ServerTab[]
}

function Lines({ serverId, findings, tabs }: LinesProps) {
  return (
    <ul className="divide-y divide-line border-line border-t">
      {findings.map((finding) => (
        <li key={`${finding.code} ${finding.text}`}>
          <FindingLine serverId={serverId} finding={finding} tabs={tabs} />
        </li>
      ))}
    </ul>
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
