import type { AlertRule, EntityDetails, EntityMetrics, ServerDetails } from '@vedette/shared'
import { ENTITY_KINDS, type EntityKindSpec } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { Chart, ChartSkeleton } from '../../../components/chart/chart.tsx'
import { ChevronLeft } from '../../../components/icons.tsx'
import { ErrorPanel, Fact, Panel, SkeletonRows } from '../../../components/page.tsx'
import { StatusBadge } from '../../../components/status.tsx'
import { Ago, Instant } from '../../../components/time.tsx'
import { useViewer } from '../../../lib/api.ts'
import { thresholdsOf } from '../../../lib/chart-notes.ts'
import { kindName } from '../../../lib/entity-texts.ts'
import type { Range } from '../../../lib/range.ts'
import { allRulesQuery } from '../../../lib/target-queries.ts'
import { entities as text } from '../../../messages/entities.ts'
import { AddRuleLink } from '../add-rule-link.tsx'
import { CHART_GRID, useNotes } from '../charts.tsx'
import { chartsOf, isNamed } from './charts.ts'
import { factsOf, State } from './columns.tsx'
import { entityMetricsQuery, entityQuery } from './queries.ts'
import type { ServerSearch } from './search.ts'
import type { EntityTab } from '../../../lib/entity-tabs.ts'

interface Props {
  server: ServerDetails
  tab: EntityTab
  id: string
  range: Range
  onZoom: (from: number, to: number) => void
  onReset: () => void
  /** Shows the list at an instant, ms. */
  onPick: (at: number) => void
  /** The controls of the range. */
  children: ReactNode
}

/** One entity: its charts over the range, attributes, and what happened to it. */
export default function EntityPanel({ server, tab, id, range, children, ...events }: Props) {
  const viewer = useViewer()
  const entity = useQuery(entityQuery(viewer, server.id, id))
  const metrics = useQuery(entityMetricsQuery(viewer, server.id, id, range))
  const back = (
    <Link
      to="/servers/$serverId/$tab"
      params={{ serverId: server.id, tab }}
      search={({ entity: _entity, ...before }: object & { entity?: string }): ServerSearch => before}
      className="inline-flex items-center gap-1 text-accent hover:underline"
    >
      <ChevronLeft size={16} aria-hidden="true" />
      {text.back}
    </Link>
  )
  if (!entity.data)
    return (
      <div className="grid grid-cols-1 gap-4">
        <p>{back}</p>
        {entity.isError ? (
          <ErrorPanel error={entity.error} onRetry={() => void entity.refetch()} />
        ) : (
          <div className="panel">
            <SkeletonRows rows={6} />
          </div>
        )}
      </div>
    )
  const { data } = entity
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p>{back}</p>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 className="text-[1.25rem]">{data.name}</h2>
            <span className="text-muted">{kindName(data.kind)}</span>
            <State entity={data} />
          </div>
        </div>
        <AddRuleLink of={data.name} search={ruleOf(data)} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-[0.92rem] text-muted max-sm:hidden">{text.pickHint}</p>
        {children}
      </div>
      {metrics.isError && !metrics.data ? (
        <ErrorPanel error={metrics.error} onRetry={() => void metrics.refetch()} />
      ) : (
        <Charts server={server} entity={data} series={metrics.data?.series} range={range} {...events} />
      )}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Details entity={data} />
        {data.kind === 'container' && <Events events={data.events} />}
      </div>
    </div>
  )
}

const ruleOf = ({ server_id: server, kind, name }: EntityDetails) => {
  const { sort, fields }: EntityKindSpec = ENTITY_KINDS[kind]
  return { server, metric: `entity.${kind}.${sort ?? Object.keys(fields)[0]}`, name }
}

interface ChartsProps extends Pick<Props, 'server' | 'range' | 'onZoom' | 'onReset' | 'onPick'> {
  entity: EntityDetails
  series: EntityMetrics['series'] | undefined
}

const NO_RULES: readonly AlertRule[] = []

function Charts({ server, entity, series, range, onReset, ...events }: ChartsProps) {
  const { data: rules = NO_RULES } = useQuery(allRulesQuery(useViewer()))
  const { bands, marks } = useNotes(server, range, undefined)
  const { kind } = entity
  const charts = useMemo(() => series && chartsOf(kind, series), [kind, series])
  const thresholds = useMemo(() => {
    const own = rules.filter((rule) => isNamed(entity, rule))
    const subject = { type: 'server', id: server.id, tags: server.tags } as const
    return charts?.map(({ lines }) => lines.flatMap(({ metric = '' }) => thresholdsOf(own, subject, metric)))
  }, [rules, entity, server.id, server.tags, charts])
  if (!series || !charts) {
    return (
      <div aria-busy="true" className={CHART_GRID}>
        <ChartSkeleton />
        <ChartSkeleton />
      </div>
    )
  }
  if (charts.length === 0) return <p className="panel p-4 text-muted">{text.notRead}</p>
  return (
    <section aria-label={entity.name} className={CHART_GRID}>
      {charts.map((chart, index) => (
        <Chart
          key={chart.title}
          {...chart}
          from={Date.parse(series.from)}
          stepSeconds={series.step_seconds}
          shared={entity.id}
          bands={bands}
          marks={marks}
          thresholds={thresholds?.[index]}
          onReset={() => 'from' in range && onReset()}
          {...events}
        />
      ))}
    </section>
  )
}

function Details({ entity }: { entity: EntityDetails }) {
  return (
    <Panel title={text.details}>
      <dl>
        {factsOf(entity).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name={text.firstSeen}>
          <Instant at={entity.first_seen_at} />
        </Fact>
        <Fact name={text.lastSeen}>
          <Ago at={entity.last_seen_at} />
        </Fact>
      </dl>
    </Panel>
  )
}

function Events({ events }: Pick<EntityDetails, 'events'>) {
  return (
    <Panel title={text.events} flush>
      {events.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{text.noEvents}</p>}
      <ul className="divide-y divide-line border-line border-t">
        {events.map(({ at, type, exit_code, oom, lines }, index) => (
          <li key={`${at} ${index}`} className="grid gap-1.5 px-4 py-2.5">
            <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <StatusBadge status={type === 'died' ? 'down' : 'degraded'} label={text.eventTypes[type] ?? type} />
              {exit_code !== null && <span>{text.exitCode(exit_code)}</span>}
              {oom === true && <span className="text-bad">{text.outOfMemory}</span>}
              <span className="text-muted">
                <Instant at={at} />
              </span>
            </p>
            {lines.length > 0 && (
              <pre
                // oxlint-disable-next-line no-noninteractive-tabindex
                tabIndex={0}
                aria-label={text.lastLines}
                role="group"
                className="max-h-60 overflow-auto rounded-lg bg-sunken p-2.5 font-mono text-[0.85rem]"
              >
                {lines.join('\n')}
              </pre>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
