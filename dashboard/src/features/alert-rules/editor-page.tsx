import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { conditionText } from '../../lib/condition-text.ts'
import { RuleEditor } from './editor.tsx'
import { NEW_RULE, type RuleInput, toRuleBody, toRuleInput } from './input.ts'
import { ruleQuery } from './queries.ts'

const text = messages.alerts.rules
const route = getRouteApi('/alerts/rules/$ruleId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'rules' } } as const

export function AddRulePage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const save = async (input: RuleInput, idempotencyKey: string) => {
    const { name } = await client.alertRules.create(toRuleBody(input), { idempotencyKey })
    toast(messages.done.created(name))
    await navigate(LIST)
    await cache.invalidate('alert-rules')
  }
  return (
    <Page title={text.addTitle}>
      {can('monitors:update') ? <RuleEditor input={NEW_RULE} action={text.create} onSave={save} /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function RulePage() {
  const viewer = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { ruleId } = route.useParams()
  const save = async (input: RuleInput) => {
    cache.set(['alert-rules', ruleId], await viewer.client.alertRules.update(ruleId, toRuleBody(input)))
    toast(messages.done.saved)
    await navigate(LIST)
    await cache.invalidate('alert-rules', 'list')
  }
  return (
    <QueryPage title={text.title} query={useQuery(ruleQuery(viewer, ruleId))}>
      {(rule) =>
        viewer.can('monitors:update') ? (
          <Page title={messages.titles.edit(rule.name)} lead={conditionText(rule)}>
            <RuleEditor key={rule.updated_at} input={toRuleInput(rule)} action={messages.actions.save} onSave={save} />
          </Page>
        ) : (
          <Page title={rule.name} lead={conditionText(rule)}>
            <p className="panel p-4">{text.forbidden}</p>
          </Page>
        )
      }
    </QueryPage>
  )
}
