import { getRouteApi, Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { Page } from '../../components/page.tsx'
import { conditionText } from '../../lib/condition-text.ts'
import { alerts } from '../../messages/alerts.ts'
import { replays } from '../../messages/replays.ts'
import { RuleEditor } from './editor.tsx'
import { newRule, type RuleInput, toRuleBody, toRuleInput } from './input.ts'

const text = alerts.rules
const route = getRouteApi('/alerts/rules/$ruleId')
const addRoute = getRouteApi('/alerts/rules/add')

const pages: PagesOf<RuleInput> = createEditorPages({
  noun: 'alert-rules',
  api: ({ alertRules }) => alertRules,
  texts: { title: text.title, add: text.addTitle, create: text.create, forbidden: text.forbidden },
  Editor: RuleEditor,
  useNew: () => newRule(addRoute.useSearch()),
  toInput: toRuleInput,
  toBody: toRuleBody,
  toPatchBody: toRuleBody,
  useId: () => route.useParams().ruleId,
  leave: (navigate) => navigate({ to: '/alerts/{-$section}', params: { section: 'rules' } }),
  heading: (rule) => ({
    lead: conditionText(rule),
    aside: (
      <Link to="/replay" search={{ rule: rule.id }} className={buttonClass()}>
        {replays.withChanges}
      </Link>
    ),
  }),
  readOnly: (rule) => (
    <Page title={rule.name} lead={conditionText(rule)}>
      <p className="panel p-4">{text.forbidden}</p>
    </Page>
  ),
})
export const { AddPage: AddRulePage, EditPage: RulePage } = pages
