import type { AlertRule, AlertRuleList } from '@vedette/shared'
import { healthMetric } from '@vedette/shared/tables'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { Button } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { TargetLabel } from '../../components/target-fields.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { findings } from '../../messages/findings.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { onCall } from '../../messages/on-call.ts'
import { conditionText } from '../../lib/condition-text.ts'
import { PAGE_LIMIT, rulesQuery } from './queries.ts'

const text = alerts.rules

export function RuleList() {
  const viewer = useViewer()
  const query = useQuery(rulesQuery(viewer, useListPage()))
  const isOffered = viewer.can('monitors:update') && query.data !== undefined && hasNoHealthRule(query.data)
  return (
    <>
      {isOffered && <DefaultRules />}
      <RuleListPanel query={query} />
      <Deleted of="alertRules" may="monitors:update" />
    </>
  )
}

/** Whether the whole list is there and no rule of it is about a finding. */
const hasNoHealthRule = ({ alert_rules: rules, total }: { alert_rules: readonly AlertRule[]; total: number }): boolean =>
  rules.length === total && !rules.some(({ condition }) => healthMetric(condition.metric))

/** An organization that is older than the health of servers gets its rules by hand. */
function DefaultRules() {
  const { client } = useViewer()
  const cache = useCache()
  const { offer, add, added } = findings.rules
  const create = async () => {
    const { alert_rules: rules } = await client.alertRules.addDefaults()
    toast(added(rules.length))
    await cache.invalidate('alert-rules')
  }
  return (
    <section className="panel flex flex-wrap items-center justify-between gap-3 px-4 py-3">
      <p>{offer}</p>
      <Button small onClick={() => void create().catch(toastError)}>
        {add}
      </Button>
    </section>
  )
}

function RuleListPanel({ query }: { query: UseQueryResult<AlertRuleList> }) {
  const viewer = useViewer()
  return (
    <ListPanel
      title={text.title}
      lead={text.lead}
      empty={text.empty}
      add={viewer.can('monitors:update') && <AddLink small to="/alerts/rules/add" label={text.add} />}
      query={query}
      rowsOf={({ alert_rules }) => alert_rules}
      row={(rule) => <RuleRow key={rule.id} rule={rule} />}
      limit={PAGE_LIMIT}
    />
  )
}

function RuleRow({ rule }: { rule: AlertRule }) {
  const { can } = useViewer()
  const { id, name, enabled, severity, channel_ids, escalation_policy_id, target, last_error } = rule
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-24">
        <StatusBadge status={enabled ? severity : 'disabled'} />
      </span>
      <div className="min-w-0 flex-1 basis-52">
        <Link
          to="/alerts/rules/$ruleId"
          params={{ ruleId: id }}
          className="block cut font-medium hover:text-accent hover:underline"
        >
          {name}
        </Link>
        <p className="text-[0.92rem] text-muted">
          {conditionText(rule)}
          {target.type !== 'series' && (
            <>
              {' '}
              · <TargetLabel target={{ ...target, type: target.type }} />
            </>
          )}
        </p>
        {last_error && <p className="text-[0.92rem] text-bad [overflow-wrap:anywhere]">{last_error}</p>}
      </div>
      <span className="text-[0.92rem] text-muted">
        {escalation_policy_id === null ? text.notifies(channel_ids.length) : onCall.policy}
      </span>
      {can('monitors:update') && <RuleActions rule={rule} />}
    </li>
  )
}

/** Both actions can be undone. */
function RuleActions({ rule }: { rule: AlertRule }) {
  const { client } = useViewer()
  const cache = useCache()
  const restore = useRestore('alertRules')
  const { id, name, enabled } = rule
  const set = async (isEnabled: boolean) => {
    await client.alertRules.update(id, { enabled: isEnabled })
    toast(isEnabled ? text.enabled(name) : text.disabled(name), () => set(!isEnabled))
    await cache.invalidate('alert-rules')
  }
  const remove = async () => {
    await client.alertRules.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    cache.remove('alert-rules', id)
    await cache.invalidate('alert-rules')
  }
  const action = enabled ? text.disable : text.enable
  return (
    <span className="flex items-center gap-1">
      <Button small aria-label={`${action}: ${name}`} onClick={() => void set(!enabled).catch(toastError)}>
        {action}
      </Button>
      <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />
    </span>
  )
}
