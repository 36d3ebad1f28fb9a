import type { AlertRule } from '@vedette/shared'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useEditPage } from '../../components/use-edit-page.ts'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { replays } from '../../messages/replays.ts'
import { conditionText } from '../../lib/condition-text.ts'
import { RuleEditor } from './editor.tsx'
import { newRule, type RuleInput, toRuleBody, toRuleInput } from './input.ts'

const text = messages.alerts.rules
const route = getRouteApi('/alerts/rules/$ruleId')
const addRoute = getRouteApi('/alerts/rules/add')
const LIST = { to: '/alerts/{-$section}', params: { section: 'rules' } } as const

export function AddRulePage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const input = useState(newRule(addRoute.useSearch()))[0]
  const save = async (input: RuleInput, idempotencyKey: string) => {
    const { name } = await client.alertRules.create(toRuleBody(input), { idempotencyKey })
    toast(messages.done.created(name))
    await navigate(LIST)
    await cache.invalidate('alert-rules')
  }
  return (
    <Page title={text.addTitle}>
      {can('monitors:update') ? <RuleEditor input={input} action={text.create} onSave={save} /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function RulePage() {
  const { can } = useViewer()
  const { ruleId } = route.useParams()
  const rule = useEditedQuery('alert-rules', ruleId, ({ alertRules }, signal) => alertRules.read(ruleId, { signal }))
  return (
    <QueryPage title={text.title} query={rule}>
      {(data) =>
        can('monitors:update') ? (
          <Page
            title={messages.titles.edit(data.name)}
            lead={conditionText(data)}
            aside={
              <Link to="/replay" search={{ rule: data.id }} className={buttonClass()}>
                {replays.withChanges}
              </Link>
            }
          >
            <EditRule rule={data} />
          </Page>
        ) : (
          <Page title={data.name} lead={conditionText(data)}>
            <p className="panel p-4">{text.forbidden}</p>
          </Page>
        )
      }
    </QueryPage>
  )
}

function EditRule({ rule }: { rule: AlertRule }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { revision, editor } = useEditPage({
    resource: rule,
    read: () => client.alertRules.read(rule.id),
    toInput: toRuleInput,
    toBody: toRuleBody,
    patch: (changes, options) => client.alertRules.update(rule.id, changes, options),
    onSaved: async () => {
      await navigate(LIST)
      await cache.invalidate('alert-rules')
    },
  })
  return <RuleEditor key={revision} {...editor} />
}
