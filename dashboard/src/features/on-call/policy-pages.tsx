import type { EscalationPolicy } from '@vedette/shared'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useEditPage } from '../../components/use-edit-page.ts'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { escalation } from '../../messages/escalation.ts'
import { replays } from '../../messages/replays.ts'
import { PolicyEditor } from './policy-editor.tsx'
import { newPolicy, type PolicyInput, toPolicyBody, toPolicyInput } from './policy-input.ts'
import { Recipients } from './recipients.tsx'

const text = escalation.policies
const route = getRouteApi('/alerts/policies/$policyId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'policies' } } as const

export function AddPolicyPage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [initial] = useState(() => newPolicy(viewerZone()))
  const save = async (input: PolicyInput, idempotencyKey: string) => {
    const { id, name } = await client.escalationPolicies.create(toPolicyBody(input), { idempotencyKey })
    toast(messages.done.created(name))
    // Where it says whom it notifies.
    await navigate({ to: '/alerts/policies/$policyId', params: { policyId: id } })
    await cache.invalidate('escalation-policies')
  }
  return (
    <Page title={text.add}>
      {can('monitors:update') ? <PolicyEditor input={initial} action={text.create} onSave={save} /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function PolicyPage() {
  const { can } = useViewer()
  const { policyId } = route.useParams()
  const policy = useEditedQuery('escalation-policies', policyId, ({ escalationPolicies }, signal) =>
    escalationPolicies.read(policyId, { signal }),
  )
  return (
    <QueryPage title={text.title} query={policy}>
      {(data) =>
        can('monitors:update') ? (
          <Page
            title={messages.titles.edit(data.name)}
            aside={
              <Link to="/replay" search={{ policy: data.id }} className={buttonClass()}>
                {replays.withChanges}
              </Link>
            }
          >
            <EditPolicy policy={data} />
          </Page>
        ) : (
          <Page title={data.name}>
            <div className="max-w-2xl">
              <Recipients policy={data} />
            </div>
          </Page>
        )
      }
    </QueryPage>
  )
}

function EditPolicy({ policy }: { policy: EscalationPolicy }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { revision, editor } = useEditPage({
    resource: policy,
    read: () => client.escalationPolicies.read(policy.id),
    toInput: toPolicyInput,
    toBody: toPolicyBody,
    patch: (changes, options) => client.escalationPolicies.update(policy.id, changes, options),
    onSaved: async () => {
      await navigate(LIST)
      await cache.invalidate('escalation-policies')
    },
  })
  return (
    <PolicyEditor key={revision} {...editor}>
      <Recipients policy={policy} />
    </PolicyEditor>
  )
}
