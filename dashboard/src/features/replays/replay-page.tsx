import type { Replay } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Page, SkeletonRows } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { useViewer } from '../../lib/api.ts'
import { newKey } from '../../lib/rows.ts'
import { viewerZone } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { replays as text } from '../../messages/replays.ts'
import { ReplayForm } from './form.tsx'
import { faultsOf, newInput, type Period, periodOf, policyChange, type ReplayInput, ruleChange } from './input.ts'
import { type Configured, configuredQuery } from './queries.ts'
import { Result } from './result.tsx'
import { runReplays } from './run.ts'

const route = getRouteApi('/replay')

export function ReplayPage() {
  return useViewer().can('monitors:update') ? (
    <AllowedPage />
  ) : (
    <Page title={text.title}>
      <p className="panel p-4">{text.forbidden}</p>
    </Page>
  )
}

function AllowedPage() {
  const query = useQuery(configuredQuery(useViewer()))
  return (
    <QueryPage title={text.title} query={query}>
      {(configured) => (
        <Page title={text.title} lead={text.lead}>
          <Replays configured={configured} />
        </Page>
      )}
    </QueryPage>
  )
}

function Replays({ configured }: { configured: Configured }) {
  const { client } = useViewer()
  const search = route.useSearch()
  const [result, setResult] = useState<{ replays: readonly Replay[]; input: ReplayInput }>()
  const [isWaiting, setWaiting] = useState(false)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = async (input: ReplayInput) => {
    running.current = new AbortController()
    const { signal } = running.current
    try {
      const options = { client, signal, onWait: () => setWaiting(true) }
      const replays = await runReplays(input, periodOf(input, Date.now(), viewerZone()) as Period, options)
      setResult({ replays, input })
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      setWaiting(false)
    }
  }
  const { rules, policies } = configured
  const [initial] = useState(() => {
    const rule = rules.find(({ id }) => id === search.rule)
    const policy = policies.find(({ id }) => id === search.policy)
    const change = rule ? ruleChange(newKey(), rule) : policy && policyChange(newKey(), policy)
    return newInput(Date.now(), viewerZone(), change)
  })
  const form = useForm(initial, run, { missing: (input) => faultsOf(input, Date.now(), viewerZone()) })
  const progress = form.isBusy ? (isWaiting ? text.waiting : text.running) : ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <ReplayForm
        form={form}
        configured={configured}
        progress={progress}
        action={result ? text.runAgain : text.run}
        onCancel={() => running.current?.abort()}
      />
      {form.isBusy ? (
        <div className="panel">
          <SkeletonRows rows={6} />
        </div>
      ) : (
        result && <Result replays={result.replays} isOld={result.input !== form.input} />
      )}
    </div>
  )
}
