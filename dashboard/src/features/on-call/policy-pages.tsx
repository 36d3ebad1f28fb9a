import { getRouteApi, Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { Page } from '../../components/page.tsx'
import { viewerZone } from '../../lib/time.ts'
import { escalation } from '../../messages/escalation.ts'
import { replays } from '../../messages/replays.ts'
import { PolicyEditor } from './policy-editor.tsx'
import { newPolicy, type PolicyInput, toPolicyBody, toPolicyInput } from './policy-input.ts'
import { Recipients } from './recipients.tsx'

const route = getRouteApi('/alerts/policies/$policyId')

const pages: PagesOf<PolicyInput> = createEditorPages({
  noun: 'escalation-policies',
  api: ({ escalationPolicies }) => escalationPolicies,
  texts: escalation.policies,
  Editor: PolicyEditor,
  useNew: () => newPolicy(viewerZone()),
  toInput: toPolicyInput,
  toBody: toPolicyBody,
  toPatchBody: toPolicyBody,
  useId: () => route.useParams().policyId,
  leave: (navigate) => navigate({ to: '/alerts/{-$section}', params: { section: 'policies' } }),
  // Where it says whom it notifies.
  leaveNew: (navigate, policyId) => navigate({ to: '/alerts/policies/$policyId', params: { policyId } }),
  heading: ({ id }) => ({
    aside: (
      <Link to="/replay" search={{ policy: id }} className={buttonClass()}>
        {replays.withChanges}
      </Link>
    ),
  }),
  side: (policy) => <Recipients policy={policy} />,
  readOnly: (policy) => (
    <Page title={policy.name}>
      <div className="max-w-2xl">
        <Recipients policy={policy} />
      </div>
    </Page>
  ),
})
export const { AddPage: AddPolicyPage, EditPage: PolicyPage } = pages
