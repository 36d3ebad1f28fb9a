import type { CheckTrial } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Waterfall } from '../../components/phases.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { milliseconds } from '../../lib/format.ts'
import { fullDate } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { bodyOf, type Draft } from './draft.ts'

const words = text.monitors
/** A check may take a minute, and redirects are part of it. */
const LONGEST_TEST_MS = 90_000

/** One check of what stands in the form, before it is kept. */
export function Trial({ draft, onFault }: { draft: Draft; onFault: (error: unknown) => void }) {
  const { client } = useViewer()
  const [trial, setTrial] = useState<CheckTrial>()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      setTrial(await client.monitors.test(bodyOf(draft), { timeoutMs: LONGEST_TEST_MS }))
      onFault(undefined)
    } catch (error) {
      setTrial(undefined)
      onFault(error)
    } finally {
      setBusy(false)
    }
  }
  const label = trial ? words.editor.testAgain : words.editor.test
  return (
    <Panel
      title={words.trial.title}
      aside={
        <Button small onClick={() => void test()} disabled={isBusy || draft.url.trim() === ''}>
          {isBusy ? words.editor.testing : label}
        </Button>
      }
    >
      <div aria-live="polite">{trial ? <Seen trial={trial} /> : <p className="text-muted">{words.editor.testHint}</p>}</div>
    </Panel>
  )
}

function Seen({ trial }: { trial: CheckTrial }) {
  const { outcome, status_code, response_ms, error, address, http_version, certificate_expires_at } = trial
  return (
    <div className="grid gap-3">
      <p className="flex flex-wrap items-center gap-3">
        <StatusBadge status={outcome} />
        {status_code !== null && <span className="font-semibold">{status_code}</span>}
        <span className="ml-auto">
          {words.trial.total} <span className="font-semibold">{milliseconds(response_ms)}</span>
        </span>
      </p>
      {error && <p className="rounded-lg bg-bad-ground px-3 py-2 text-bad [overflow-wrap:anywhere]">{error.message}</p>}
      <Waterfall times={trial} />
      <dl>
        {address !== null && <Fact name={words.trial.address}>{address}</Fact>}
        {http_version !== null && <Fact name={words.trial.protocol}>HTTP/{http_version}</Fact>}
        {certificate_expires_at !== null && (
          <Fact name={words.trial.certificate}>
            <Instant at={certificate_expires_at} format={fullDate} />
          </Fact>
        )}
      </dl>
    </div>
  )
}
