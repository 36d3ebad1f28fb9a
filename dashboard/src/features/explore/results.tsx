import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { Chart, ChartSkeleton } from '../../components/chart/chart.tsx'
import { EmptyState, ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useViewer } from '../../lib/api.ts'
import type { Range } from '../../lib/range.ts'
import { explore } from '../../messages/explore.ts'
import { locale } from '../../messages/language.ts'
import { metricsIn, withName } from './complete.ts'
import type { InstantData } from './prometheus.ts'
import { type Drawn, instantAnswerQuery, metricsQuery, rangeAnswerQuery } from './queries.ts'
import {
  columnsOf,
  linesOf,
  MOST_LINES,
  MOST_ROWS,
  namesLike,
  type Row,
  rowsOf,
  seriesName,
  sortedRows,
  VALUE,
} from './result.ts'

const text = explore
const HEIGHT = 300
const NUMBER = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 })
const SHORT = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 4 })
const short = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : SHORT.format(value))

interface Props {
  query: string
  range: Range
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onZoom: (from: number, to: number) => void
  onReset: () => void
  /** Runs another query. */
  onChoose: (query: string) => void
}

/** The answer over the range as a chart, and at its end as a table. A query that is wrong has neither: the field says why. */
export function Results({ query, range, sort, onSort, onZoom, onReset, onChoose }: Props) {
  const viewer = useViewer()
  const instant = useQuery(instantAnswerQuery(viewer, query, range))
  const drawn = useQuery(rangeAnswerQuery(viewer, query, range))
  const error = instant.data ? drawn.failureReason : instant.failureReason
  if (instant.data?.fault !== undefined) return null
  if (error && !(instant.data && drawn.data)) {
    const retry = () => {
      void instant.refetch()
      void drawn.refetch()
    }
    return <ErrorPanel error={error} {...((instant.isError || drawn.isError) && { onRetry: retry })} />
  }
  if (isStopped(instant) || isStopped(drawn)) return <p className="panel p-4 text-soft">{text.stopped}</p>
  if (!instant.data || !drawn.data) {
    return (
      <div aria-busy="true" className="grid gap-3">
        <ChartSkeleton height={HEIGHT} />
        <div className="panel">
          <SkeletonRows rows={4} />
        </div>
      </div>
    )
  }
  const series = drawn.data.fault === undefined ? drawn.data.data.result.length : 0
  const rows = rowsOf(instant.data.data)
  const notes = [...instant.data.notes, ...(drawn.data.fault === undefined ? drawn.data.notes : [])]
  return (
    <>
      <Notes notes={[...new Set(notes)]} />
      {series === 0 && rows.length === 0 ? (
        <NoSeries query={query} onChoose={onChoose} />
      ) : (
        <>
          <Drawing drawn={drawn.data} query={query} onZoom={onZoom} onReset={onReset} />
          <Rows data={instant.data.data} rows={rows} sort={sort} onSort={onSort} />
        </>
      )}
    </>
  )
}

/** A person typed before there was an answer. */
const isStopped = ({ isPending, fetchStatus }: { isPending: boolean; fetchStatus: string }): boolean =>
  isPending && fetchStatus === 'idle'

/** What the answer says of itself. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <ul
      aria-label={text.notes}
      className="grid gap-1 rounded-[0.7rem] border border-warn-bar bg-warn-ground px-4 py-2.5 text-soft"
    >
      {notes.map((note) => (
        <li key={note} className="[overflow-wrap:anywhere]">
          {note}
        </li>
      ))}
    </ul>
  )
}

function Drawing({ drawn, query, onZoom, onReset }: { drawn: Drawn; query: string } & Pick<Props, 'onZoom' | 'onReset'>) {
  const { steps } = drawn
  const lines = useMemo(() => (drawn.fault === undefined ? linesOf(drawn.data, drawn.steps, query) : []), [drawn, query])
  if (drawn.fault !== undefined) {
    return (
      <Panel title={text.chart}>
        <p className="text-soft">{text.notDrawn(drawn.fault)}</p>
      </Panel>
    )
  }
  return (
    <div className="grid gap-1">
      <Chart
        title={text.chart}
        from={steps.fromMs}
        stepSeconds={steps.stepSeconds}
        lines={lines}
        format={short}
        height={HEIGHT}
        onZoom={onZoom}
        onReset={onReset}
      />
      {drawn.data.result.length > MOST_LINES && <p className="px-1 text-muted">{text.moreLines(MOST_LINES)}</p>}
    </div>
  )
}

interface RowsProps extends Pick<Props, 'sort' | 'onSort'> {
  data: InstantData
  rows: readonly Row[]
}

function Rows({ data, rows, sort, onSort }: RowsProps) {
  const shown = rows.slice(0, MOST_ROWS)
  const { columns, common } = columnsOf(shown)
  const isText = data.resultType === 'string'
  const isId = (name: string) => name.endsWith('_id')
  const all: Column<Row>[] = [
    ...columns.map(
      (name): Column<Row> => ({
        head: name === '__name__' ? text.metric : name,
        cell: ({ labels }) => labels[name] ?? '',
        sort: name,
        isExtra: isId(name),
      }),
    ),
    {
      head: text.value,
      cell: ({ value }) => <span title={value}>{isText ? value : numberText(value)}</span>,
      isFigure: !isText,
      sort: VALUE,
    },
  ]
  // Three columns fit on a phone.
  const asCards = columns.filter((name) => !isId(name)).length > 2
  const notes = [
    ...(Object.keys(common).length > 0 ? [text.common(seriesName(common))] : []),
    ...(data.resultType === 'matrix' ? [text.lastOfRange] : []),
    ...(rows.length > MOST_ROWS ? [text.moreRows(MOST_ROWS)] : []),
  ]
  return (
    <Panel title={text.table} flush>
      {notes.map((note) => (
        <p key={note} className="px-4 pb-2 text-muted [overflow-wrap:anywhere]">
          {note}
        </p>
      ))}
      {rows.length === 0 ? (
        <p className="px-4 pb-4 text-soft">{text.noRows}</p>
      ) : (
        <Table
          label={text.table}
          columns={all}
          rows={sortedRows(shown, sort)}
          keyOf={({ labels }) => seriesName(labels)}
          sort={sort}
          onSort={onSort}
          asCards={asCards}
        />
      )}
    </Panel>
  )
}

/** `NaN` and `+Inf` stay as they are. */
function numberText(value: string): string {
  const number = Number(value)
  return Number.isFinite(number) && value !== '' ? NUMBER.format(number) : value
}

/** Of a name that does not exist: those that begin alike. */
function NoSeries({ query, onChoose }: Pick<Props, 'query' | 'onChoose'>) {
  const { data: metrics = [] } = useQuery(metricsQuery(useViewer()))
  const names = metrics.map(({ name }) => name)
  const unknown = names.length === 0 ? [] : metricsIn(query).filter((name) => !names.includes(name))
  return (
    <section className="panel">
      {unknown.length === 0 ? (
        <EmptyState title={text.empty}>
          <p className="max-w-lg text-soft">{text.emptyLead}</p>
        </EmptyState>
      ) : (
        unknown.map((wanted) => (
          <EmptyState key={wanted} title={text.unknown(wanted)}>
            {namesLike(wanted, names).length > 0 && (
              <>
                <p className="text-soft">{text.alike}</p>
                <div className="flex flex-wrap justify-center gap-2">
                  {namesLike(wanted, names).map((name) => (
                    <Button key={name} small className="font-mono" onClick={() => onChoose(withName(query, wanted, name))}>
                      {name}
                    </Button>
                  ))}
                </div>
              </>
            )}
          </EmptyState>
        ))
      )}
    </section>
  )
}
