import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page, SkeletonRows, Trouble } from '../../../components/page.tsx'
import { toast } from '../../../components/toast.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { text } from '../../../messages/index.ts'
import { ruleQuery } from '../queries.ts'
import { EMPTY_RULE, type RuleDraft, ruleBodyOf, ruleDraftOf } from './draft.ts'
import { RuleEditor } from './editor.tsx'
import { conditionWords } from './words.ts'

const words = text.alerts.rules
const route = getRouteApi('/alerts/rules/$ruleId')

export function AddRulePage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const save = async (draft: RuleDraft) => {
    const { name } = await client.alertRules.create(ruleBodyOf(draft))
    toast(words.created(name))
    await navigate({ to: '/alerts/{-$section}', params: { section: 'rules' } })
    await queries.invalidateQueries({ queryKey: [scope, 'alert-rules'] })
  }
  return (
    <Page title={words.addTitle}>
      {can('monitors:update') ? <RuleEditor draft={EMPTY_RULE} action={words.create} onSave={save} /> : <p>{words.forbidden}</p>}
    </Page>
  )
}

export function RulePage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { ruleId } = route.useParams()
  const rule = useQuery(ruleQuery(scope, client, ruleId))
  if (rule.isError) {
    return (
      <Page title={words.title}>
        <Trouble error={rule.error} onRetry={() => void rule.refetch()} />
      </Page>
    )
  }
  if (!rule.data) {
    return (
      <Page title={words.title}>
        <SkeletonRows />
      </Page>
    )
  }
  const { data } = rule
  const save = async (draft: RuleDraft) => {
    queries.setQueryData([scope, 'alert-rules', ruleId], await client.alertRules.update(ruleId, ruleBodyOf(draft)))
    toast(words.saved)
    await navigate({ to: '/alerts/{-$section}', params: { section: 'rules' } })
    await queries.invalidateQueries({ queryKey: [scope, 'alert-rules', 'list'] })
  }
  if (!can('monitors:update')) {
    return (
      <Page title={data.name} lead={conditionWords(data)}>
        <p className="panel p-4">{words.forbidden}</p>
      </Page>
    )
  }
  return (
    <Page title={words.editTitle(data.name)} lead={conditionWords(data)}>
      <RuleEditor key={data.updated_at} draft={ruleDraftOf(data)} action={text.actions.save} onSave={save} />
    </Page>
  )
}
