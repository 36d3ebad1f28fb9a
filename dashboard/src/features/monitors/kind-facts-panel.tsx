import type { MonitorDetails } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart } from '../../components/chart/chart.tsx'
import { Stat } from '../../components/page.tsx'
import { Ago, useNow } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { kindFacts as text } from '../../messages/kind-facts.ts'
import { factCharts } from './fact-charts.ts'
import { newestFacts } from './kind-facts.ts'
import { checksQuery } from './queries.ts'

interface Props {
  monitor: MonitorDetails
  region: string | undefined
}

/** What the checks of a kind found, first its newest figures and then their course. Nothing for a kind without facts. */
export default function KindFacts({ monitor, region = monitor.regions?.[0] }: Props) {
  const { data } = useQuery(checksQuery(useViewer(), monitor))
  const checks = useMemo(
    () => (data?.checks ?? monitor.recent_checks).filter((check) => check.region === region),
    [data, monitor.recent_checks, region],
  )
  const { interval = 0 } = monitor
  const charts = useMemo(() => factCharts(checks, interval), [checks, interval])
  const facts = newestFacts(checks)
  const { certificate_expires_at: until } = monitor
  if (facts.length === 0 && until === null) return null
  const newest = checks.find((check) => Object.keys(check.facts).length > 0)
  return (
    <section aria-labelledby="kind-facts" className="grid gap-3">
      <div className="panel px-4 py-3">
        <h2 id="kind-facts" className="mb-2 flex flex-wrap items-baseline gap-x-3">
          {text.title}
          {newest && (
            <span className="font-normal text-[0.88rem] text-muted">
              <Ago at={newest.checked_at} />
            </span>
          )}
        </h2>
        <dl className="grid grid-cols-2 gap-x-5 gap-y-3 [overflow-wrap:anywhere] sm:grid-cols-3 xl:grid-cols-6">
          {until !== null && <CertificateDays until={until} />}
          {facts.map((fact) => (
            <Stat key={fact.label} name={fact.label} value={fact.text} />
          ))}
        </dl>
      </div>
      {charts.map(({ title, unit, lines, ...times }) => (
        <Chart
          key={lines.map(({ label }) => label).join()}
          title={title === '' ? (unit === 'ms' ? text.times : text.figures) : title}
          format={(value) => figure(value, unit)}
          lines={lines}
          {...(unit === '%' && { atLeast: 10, atMost: 100 })}
          {...times}
        />
      ))}
    </section>
  )
}

const figure = (value: number | null | undefined, unit: string | undefined): string =>
  value === null || value === undefined
    ? messages.unknown
    : `${Math.round(value * 100) / 100}${unit === undefined ? '' : ` ${unit}`}`

/** Below this it is a problem. */
const SOON_DAYS = 14

function CertificateDays({ until }: { until: string }) {
  const days = Math.floor((Date.parse(until) - useNow()) / DAY_MS)
  return (
    <Stat
      name={messages.monitors.figures.certificate}
      value={messages.monitors.certificateLeft(days)}
      tone={days < SOON_DAYS ? 'text-bad' : ''}
    />
  )
}
