import { useEffect, useMemo, useRef, useState } from 'react'
import type uPlot from 'uplot'
import { columns, hasValues, latestValue } from '../../lib/chart-data.ts'
import { useIsDark, usePreferences } from '../../lib/preferences.ts'
import { exact } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { SaveChart } from './save.tsx'
import { scheduleTask } from './schedule-task.ts'
import { type ChartProps, DEFAULT_HEIGHT } from './types.ts'
import { whenNear } from './when-near.ts'

/** With the library that draws, which is a third of the script of a page: the page is shown without waiting for it. */
const importPlot = () => import('./plot.ts')
let library: Awaited<ReturnType<typeof importPlot>> | undefined
const loadPlot = async () => (library ??= await importPlot())
// A failed load is repeated, and reported, by the chart that needs it.
void loadPlot().catch(() => undefined)

const SWATCH = ['', 'bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5', 'bg-chart-6']

/** With more the legend scrolls: the plot must not leave the screen. */
const MANY_LINES = 8

/** Lines over time. A drag zooms, a double click resets, and the legend shows the values at the cursor. */
export function Chart(props: ChartProps) {
  const { title, lines, from, stepSeconds, format, height = DEFAULT_HEIGHT } = props
  const { host, legend, instant } = usePlot(props)
  const isEmpty = !hasValues(lines)
  const hasManyLines = lines.length > MANY_LINES
  const summary = lines.map(({ label, values, figures }) => `${label} ${format(latestValue(figures ?? values))}`).join(', ')
  return (
    <figure className="panel min-w-0 px-3 pt-2.5 pb-1.5">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-1">
        <h2>
          {title} {!isEmpty && <SaveChart chart={props} host={host} />}
        </h2>
        <span ref={instant} className="line-clamp-2 text-[0.86rem] text-muted" />
        <span
          ref={legend}
          // Scrollable content must be focusable.
          {...(hasManyLines && { role: 'group', 'aria-label': title, tabIndex: 0 })}
          className={`flex min-w-0 flex-wrap gap-x-3 text-[0.88rem] text-soft [overflow-wrap:anywhere] ${hasManyLines ? 'max-h-24 basis-full overflow-y-auto' : 'ml-auto'}`}
        >
          {lines
            .filter(({ faint }) => !faint)
            .map(({ label, color, values, figures }) => (
              <span key={label} className="flex min-w-0 items-center gap-1.5">
                <span className={`h-2 w-2 shrink-0 rounded-full ${SWATCH[color]}`} />
                {label} <span className="whitespace-nowrap font-medium text-text">{format(latestValue(figures ?? values))}</span>
              </span>
            ))}
        </span>
      </figcaption>
      <div className="relative">
        <div
          ref={host}
          role="img"
          // Reserves the height: the plot is drawn after the first paint.
          style={{ minHeight: height }}
          aria-label={messages.chart.label(title, isEmpty ? messages.chart.none : `${summary}, ${exact(from)}, ${stepSeconds} s`)}
        />
        {isEmpty && (
          <p className="pointer-events-none absolute inset-0 grid place-items-center text-muted">{messages.chart.none}</p>
        )}
      </div>
    </figure>
  )
}

/** Placeholder of the same height as the chart. */
export function ChartSkeleton({ height = DEFAULT_HEIGHT }: { height?: number }) {
  return (
    <div className="panel min-w-0 px-3 pt-2.5 pb-1.5">
      <div className="invisible px-1">
        <h2>&nbsp;</h2>
      </div>
      <div className="skeleton" style={{ height }} />
    </div>
  )
}

/** Creates the plot once it is near the view, and again when the theme changes; updates its data with each answer. */
function usePlot(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const legend = useRef<HTMLSpanElement>(null)
  const instant = useRef<HTMLSpanElement>(null)
  const plot = useRef<uPlot>(undefined)
  /** What a gesture shows until the values of its range arrive. */
  const view = useRef<[number, number]>(undefined)
  const latest = useRef(props)
  latest.current = props
  const isDark = useIsDark()
  const { timeZone } = usePreferences()
  const names = props.lines.map(({ label }) => label).join()
  const data = useMemo(() => columns(props.from, props.stepSeconds, props.lines), [props.from, props.stepSeconds, props.lines])

  const [, fail] = useState<never>()
  useEffect(() => {
    let remove: (() => void) | undefined
    let isGone = false
    const draw = async () => {
      // Without a wait where it is there: a page that is about to be printed does not wait.
      const { createPlot } = library ?? (await loadPlot())
      if (!isGone && host.current) remove = createPlot(host.current, plot, view, () => latest.current, { legend, instant })
    }
    const drawOrFail = () =>
      void draw().catch((error: unknown) =>
        // To the error boundary.
        fail(() => {
          throw error
        }),
      )
    let cancel = whenNear(host.current as Element, (isPrinted) => {
      if (isPrinted) drawOrFail()
      else cancel = scheduleTask(drawOrFail)
    })
    return () => {
      isGone = true
      cancel()
      remove?.()
    }
  }, [names, isDark, timeZone])

  useEffect(() => {
    view.current = undefined
    plot.current?.setData(data as uPlot.AlignedData)
  }, [data])

  // They arrive on their own, after the values.
  useEffect(() => plot.current?.redraw(false), [props.bands, props.marks, props.thresholds])

  return { host, legend, instant }
}
