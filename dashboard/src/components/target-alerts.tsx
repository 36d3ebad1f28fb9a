import type { AlertRule } from '@vedette/shared'
import { healthMetric } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useViewer } from '../lib/api.ts'
import { conditionText } from '../lib/condition-text.ts'
import { type AlertSubject, openIncidentsQuery } from '../lib/target-queries.ts'
import { findings } from '../messages/findings.ts'
import { messages } from '../messages/index.ts'
import { Panel } from './page.tsx'
import { StatusBadge } from './status.tsx'
import { Ago } from './time.tsx'

const text = messages.targetAlerts

/** Whether the open incidents are being read for the first time, which stand above the rest of a page; not after a failed try, nor offline. */
export function useWaitsForIncidents(target: string): boolean {
  const { isLoading, failureCount } = useQuery(openIncidentsQuery(useViewer(), target))
  return isLoading && failureCount === 0
}

/** The open incidents of a monitor, server or SLO; nothing where there are none. */
export function OpenIncidents({ id: target }: { id: string }) {
  const { data: incidents = [] } = useQuery(openIncidentsQuery(useViewer(), target))
  if (incidents.length === 0) return null
  return (
    <Panel title={text.incidents} flush>
      <ul className="divide-y divide-line border-line border-t">
        {incidents.map(({ id, summary, severity, status, opened_at }) => (
          <li
            key={id}
            className="relative grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-hover sm:grid-cols-[auto_1fr_auto]"
          >
            <StatusBadge status={status === 'acknowledged' ? status : severity} />
            <Link
              to="/incidents/$incidentId"
              params={{ incidentId: id }}
              className="min-w-0 font-medium [overflow-wrap:anywhere] row-link max-sm:order-last max-sm:col-span-2"
            >
              {summary}
            </Link>
            <span className="text-right text-[0.92rem] text-muted">
              <Ago at={opened_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The enabled rules that apply to a monitor or server; those on its health, of which there are many, folded. */
export function AppliedRules({ subject, rules }: { subject: AlertSubject; rules: readonly AlertRule[] | undefined }) {
  const onHealth = rules?.filter(({ condition }) => healthMetric(condition.metric)) ?? []
  return (
    <Panel
      title={text.rules}
      flush
      aside={
        <Link to="/incidents" search={{ target: subject.id, status: 'resolved' }} className="text-accent hover:underline">
          {text.past}
        </Link>
      }
    >
      {rules?.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{text.noRules}</p>}
      <RuleLines rules={rules?.filter((rule) => !onHealth.includes(rule)) ?? []} />
      {onHealth.length > 0 && (
        <details>
          <summary className="cursor-pointer border-line border-t px-4 py-2 font-medium">
            {findings.rules.applied(onHealth.length)}
          </summary>
          <RuleLines rules={onHealth} />
        </details>
      )}
    </Panel>
  )
}

function RuleLines({ rules }: { rules: readonly AlertRule[] }) {
  return (
    <ul className="divide-y divide-line border-line border-t">
      {rules.map((rule) => (
        <li key={rule.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2">
          <StatusBadge status={rule.severity} />
          <Link to="/alerts/rules/$ruleId" params={{ ruleId: rule.id }} className="font-medium hover:text-accent hover:underline">
            {rule.name}
          </Link>
          <span className="basis-full text-[0.92rem] text-muted">{conditionText(rule)}</span>
        </li>
      ))}
    </ul>
  )
}
