import type { CapacityForecast } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Chart } from '../../components/chart/chart.tsx'
import { Panel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { percent } from '../../lib/format.ts'
import { entities } from '../../messages/entities.ts'
import { AddRuleLink } from './add-rule-link.tsx'
import { CHART_GRID } from './charts.tsx'
import { forecastChart } from './forecast-lines.ts'
import { forecastQuery } from './queries.ts'

const text = entities.forecast
const DAY_SECONDS = 86_400

/** When filesystems and memory are full: a figure each, and a chart where there is a forecast. Nothing without samples. */
export default function Forecast({ serverId }: { serverId: string }) {
  const { data } = useQuery(forecastQuery(useViewer(), serverId))
  if (!data || data.forecasts.length === 0) return null
  return (
    <section aria-label={text.title} className="grid grid-cols-1 gap-4">
      <Panel title={text.title} flush>
        <p className="px-4 pb-3 text-muted">{text.lead}</p>
        <ul className="divide-y divide-line border-line border-t">
          {data.forecasts.map((forecast) => (
            <li key={nameOf(forecast)} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5">
              <span className="font-mono text-[0.93rem] [overflow-wrap:anywhere]">{nameOf(forecast)}</span>
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Figure forecast={forecast} />
                <AddRuleLink of={nameOf(forecast)} search={ruleOf(serverId, forecast)} />
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <div className={CHART_GRID}>
        {data.forecasts.map((forecast) => (
          <ForecastChart key={nameOf(forecast)} forecast={forecast} />
        ))}
      </div>
    </section>
  )
}

const nameOf = ({ mount }: CapacityForecast): string => mount ?? text.memory

const ruleOf = (server: string, { subject, mount }: CapacityForecast) => ({
  server,
  metric: `${subject}.days_until_full`,
  ...(mount !== null && { mount }),
})

function Figure({ forecast }: { forecast: CapacityForecast }) {
  const { days_until_full: until, earliest_days: earliest, latest_days: latest, silence } = forecast
  if (until === null || earliest === null) return <span className="text-muted">{text.silences[silence ?? 'no_line']}</span>
  const isExact = latest !== null && Math.floor(earliest) === Math.floor(latest)
  return (
    <span>
      <span className="font-semibold">{text.fullIn(until)}</span>{' '}
      {!isExact && <span className="text-muted">{text.interval(earliest, latest)}</span>}
    </span>
  )
}

function ForecastChart({ forecast }: { forecast: CapacityForecast }) {
  const chart = useMemo(() => forecastChart(forecast), [forecast])
  if (!chart) return null
  return (
    <Chart
      title={text.chart(nameOf(forecast))}
      {...chart}
      stepSeconds={DAY_SECONDS}
      format={percent}
      atLeast={100}
      atMost={100}
      shared="forecast"
    />
  )
}
