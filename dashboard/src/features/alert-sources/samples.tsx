import type { AlertSource } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { alertSources as text } from '../../messages/alert-sources.ts'
import { Received } from './received.tsx'

const REFRESH_MS = 15_000

/** What a source has sent last. */
export function Samples({ source }: { source: AlertSource }) {
  const { client, organizationId } = useViewer()
  const query = useQuery({
    queryKey: [organizationId, 'alert-sources', source.id, 'samples'],
    queryFn: ({ signal }) => client.alertSources.samples(source.id, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Panel title={text.samples} flush>
      <div className="px-4 pb-3">
        <Received source={source} />
        <p className="text-muted">{query.data?.samples.length === 0 ? text.noSamples : text.samplesLead}</p>
      </div>
      {query.isPending && <SkeletonRows rows={2} />}
      {query.isError && !query.data && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <ul className="divide-y divide-line border-line border-t">
        {query.data?.samples.map(({ received_at: at, body, opened, resolved, faults }, index) => (
          <li key={`${at} ${index}`} className="px-4 py-2.5">
            <details>
              <summary>
                <Ago at={at} /> · {text.outcome(opened, resolved)}
                {faults.length > 0 && (
                  <span className="text-warn">
                    {' '}
                    · {text.faults}: {faults.length}
                  </span>
                )}
              </summary>
              {faults.map((fault) => (
                <p key={fault} className="mt-1 break-words text-[0.92rem] text-warn">
                  {fault}
                </p>
              ))}
              <pre className="mt-2 max-h-80 overflow-auto whitespace-pre-wrap break-all rounded-lg bg-sunken px-3 py-2 font-mono text-[0.88rem]">
                {body}
              </pre>
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
