import type { DriftedResource } from '@vedette/shared'
import type { UseQueryResult } from '@tanstack/react-query'
import { ErrorPanel, Panel } from '../../components/page.tsx'
import { ResourceLink } from '../../components/resource-link.tsx'
import { Instant } from '../../components/time.tsx'
import { actorName } from '../../lib/person.ts'
import { dayAndClock } from '../../lib/time.ts'
import { changes } from '../../messages/changes.ts'
import { Fields } from './fields.tsx'

const text = changes.drift

interface Props {
  owner: string
  query: UseQueryResult<{ resources: readonly DriftedResource[]; warnings: readonly string[] }>
}

/** What is not as an owner last applied it. */
export function DriftPanel({ owner, query }: Props) {
  const resources = query.data?.resources ?? []
  return (
    <Panel title={text.title(owner)} flush={resources.length > 0}>
      {query.isError && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.warnings.map((warning) => (
        <p key={warning} className={`text-warn [overflow-wrap:anywhere] ${resources.length > 0 ? 'px-4 pb-2' : ''}`}>
          {warning}
        </p>
      ))}
      {query.data && resources.length === 0 && <p className="text-muted">{text.none}</p>}
      {resources.length > 0 && (
        <ul className="divide-y divide-line border-line border-t">
          {resources.map((resource) => (
            <Drifted key={resource.id} resource={resource} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Drifted({ resource: { kind, ref, id, changed_at: at, changed_by: by, differences } }: { resource: DriftedResource }) {
  return (
    <li>
      <div className="px-4 py-2.5">
        <ResourceLink type={kind} id={id}>
          {ref}
        </ResourceLink>
        <p className="text-[0.92rem] text-muted [overflow-wrap:anywhere]">
          {at !== null && by ? (
            <>
              <Instant at={at} format={dayAndClock} /> · <bdi>{actorName(by, changes.system)}</bdi>
            </>
          ) : (
            text.unknown
          )}
        </p>
      </div>
      <Fields label={ref} fields={differences} />
    </li>
  )
}
