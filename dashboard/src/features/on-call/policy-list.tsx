import type { EscalationPolicy } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { Tags } from '../../components/tags.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { POLICY_PAGE_LIMIT, policiesQuery } from '../../lib/policy-queries.ts'
import { messages } from '../../messages/index.ts'
import { escalation } from '../../messages/escalation.ts'

const text = escalation.policies

export function PolicyList() {
  const viewer = useViewer()
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={viewer.can('monitors:update') && <AddLink small to="/alerts/policies/add" label={text.add} />}
        query={useQuery(policiesQuery(viewer, useListPage()))}
        rowsOf={({ escalation_policies }) => escalation_policies}
        row={(policy) => <PolicyRow key={policy.id} policy={policy} />}
        limit={POLICY_PAGE_LIMIT}
      />
      <Deleted of="escalationPolicies" may="monitors:update" />
    </>
  )
}

function PolicyRow({ policy }: { policy: EscalationPolicy }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const restore = useRestore('escalationPolicies')
  const { id, name, steps, repeats, tags } = policy
  const remove = async () => {
    await client.escalationPolicies.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    cache.remove('escalation-policies', id)
    await cache.invalidate('escalation-policies')
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        <Link
          to="/alerts/policies/$policyId"
          params={{ policyId: id }}
          className="block cut font-medium hover:text-accent hover:underline"
        >
          {name}
        </Link>
        <p className="text-[0.92rem] text-muted">
          {text.steps(steps.length)}
          {repeats > 0 && ` · ${text.repeated(repeats)}`}
        </p>
      </div>
      <Tags tags={tags} most={4} />
      {can('monitors:update') && <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />}
    </li>
  )
}
