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
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { factLabel, factText } from '../../lib/fact-texts.ts'
import { InvalidInput } from '../../lib/errors.ts'
import { loadPlainFaults } from './definition-faults.ts'
import { credentialFaults, lostCredentials, toMonitorBody, type MonitorInput } from './input.ts'

const text = monitorEditor
/** A check may take a minute with its redirects. */
const LONGEST_TEST_MS = 90_000

/** Runs one check of the unsaved monitor. */
export function TestPanel({ input, onError }: { input: MonitorInput; onError: (error: unknown) => void }) {
  const { client } = useViewer()
  const [trial, setTrial] = useState<CheckTrial>()
  const [isBusy, setBusy] = useState(false)
  const test = async () => {
    setBusy(true)
    const { definitionFaults, withPlainFaults } = await loadPlainFaults()
    try {
      const faults = [
        ...credentialFaults(lostCredentials(undefined, input), text.editor.enterForTest),
        ...definitionFaults(input),
      ]
      if (faults.length > 0) throw new InvalidInput(faults)
      setTrial(await client.monitors.test(toMonitorBody(input), { timeoutMs: LONGEST_TEST_MS }))
      onError(undefined)
    } catch (error) {
      setTrial(undefined)
      onError(withPlainFaults(error))
    } finally {
      setBusy(false)
    }
  }
  const label = trial ? text.test.runAgain : text.test.run
  return (
    <Panel
      title={text.test.title}
      aside={
        <Button small onClick={() => void test()} disabled={isBusy || input.url.trim() === ''}>
          {isBusy ? text.test.running : label}
        </Button>
      }
    >
      <div aria-live="polite">{trial ? <TestResult trial={trial} /> : <p className="text-muted">{text.test.hint}</p>}</div>
    </Panel>
  )
}

function TestResult({ trial }: { trial: CheckTrial }) {
  const { outcome, status_code, response_ms, error, address, http_version, certificate_expires_at, facts } = trial
  return (
    <div className="grid gap-3">
      <p className="flex flex-wrap items-center gap-3">
        <StatusBadge status={outcome} />
        {status_code !== null && <span className="font-semibold">{status_code}</span>}
        <span className="ml-auto">
          {text.test.total} <span className="font-semibold">{milliseconds(response_ms)}</span>
        </span>
      </p>
      {error && <p className="rounded-lg bg-bad-ground px-3 py-2 text-bad">{error.message}</p>}
      {error?.code === 'blocked' && <p className="text-soft">{text.test.blocked}</p>}
      <Waterfall times={trial} />
      <dl>
        {address !== null && <Fact name={text.test.address}>{address}</Fact>}
        {http_version !== null && <Fact name={text.test.protocol}>HTTP/{http_version}</Fact>}
        {Object.entries(facts).map(([name, value]) => (
          <Fact key={name} name={factLabel(name)}>
            {factText(name, value)}
          </Fact>
        ))}
        {certificate_expires_at !== null && (
          <Fact name={text.test.certificate}>
            <Instant at={certificate_expires_at} format={fullDate} />
          </Fact>
        )}
      </dl>
    </div>
  )
}
