import { useQuery } from '@tanstack/react-query'
import { EmptyState, ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { explore } from '../../messages/explore.ts'
import { examplesOf } from './examples.ts'
import { metricsQuery } from './queries.ts'

const text = explore

/** What to begin with: queries over what exists. */
export function Examples({ onChoose }: { onChoose: (query: string) => void }) {
  const { data, error, isError, refetch } = useQuery(metricsQuery(useViewer()))
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />
  const examples = examplesOf((data ?? []).map(({ name }) => name))
  return (
    <Panel title={text.examplesTitle} flush>
      {!data && <SkeletonRows rows={5} />}
      {data && examples.length === 0 && (
        <EmptyState title={text.nothing}>
          <p className="max-w-lg text-soft">{text.nothingLead}</p>
        </EmptyState>
      )}
      <ul className="divide-y divide-line border-line border-t">
        {data &&
          examples.map(({ title, query }) => (
            <li key={title}>
              <button
                type="button"
                onClick={() => onChoose(query)}
                className="flex w-full min-w-0 flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5 text-left hover:bg-hover"
              >
                <span className="w-64 max-w-full font-semibold">{text.examples[title]}</span>
                <code className="min-w-0 font-mono text-[0.93rem] text-soft [overflow-wrap:anywhere]">{query}</code>
              </button>
            </li>
          ))}
      </ul>
    </Panel>
  )
}
