import { type RefObject, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { axisMaximum, columns, hasValues, latestValue, valueNear } from '../../lib/chart-data.ts'
import { useIsDark, usePreferences } from '../../lib/preferences.ts'
import { dayAndClock, exact } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { DEFAULT_HEIGHT, plotOptions, themeColors, timesOf } from './options.ts'
import { SaveChart } from './save.tsx'
import { scheduleTask } from './schedule-task.ts'
import { followTouches } from './touch.ts'
import type { ChartProps } from './types.ts'

/** A longer movement is a drag, not a click. */
const DRAG_PIXELS = 4
const SWATCH = ['', 'bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5', 'bg-chart-6']

/** Lines over time. A drag zooms, a double click resets, and the legend shows the values at the cursor. */
export function Chart(props: ChartProps) {
  const { title, lines, from, stepSeconds, format, height = DEFAULT_HEIGHT } = props
  const { host, legend, instant } = usePlot(props)
  const isEmpty = !hasValues(lines)
  const summary = lines.map(({ label, values, figures }) => `${label} ${format(latestValue(figures ?? values))}`).join(', ')
  return (
    <figure className="panel min-w-0 px-3 pt-2.5 pb-1.5">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-1">
        <h2>
          {title} {!isEmpty && <SaveChart chart={props} host={host} />}
        </h2>
        <span ref={instant} className="line-clamp-2 text-[0.86rem] text-muted" />
        <span ref={legend} className="ml-auto flex min-w-0 flex-wrap gap-x-3 text-[0.88rem] text-soft [overflow-wrap:anywhere]">
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

/** Creates the plot again when the theme changes, and updates its data with each answer. */
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

  useEffect(() => {
    let remove: (() => void) | undefined
    const cancel = scheduleTask(() => {
      if (host.current) remove = createPlot(host.current, plot, view, () => latest.current, { legend, instant })
    })
    return () => {
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

/** The time, and what was the case then. */
function describeInstant({ bands = [], marks = [], stepSeconds }: ChartProps, at: number): string {
  const stepMs = stepSeconds * 1000
  const labels = [
    ...bands.filter(({ from, to }) => from < at + stepMs && to >= at).map(({ label }) => label),
    ...marks.filter((mark) => Math.abs(mark.at - at) <= stepMs).map(({ label }) => label),
  ]
  return [dayAndClock(at), ...new Set(labels)].join(' · ')
}

interface LegendRefs {
  legend: RefObject<HTMLSpanElement | null>
  instant: RefObject<HTMLSpanElement | null>
}

/** Creates the plot from the latest props. Returns a function that removes it. */
function createPlot(
  element: HTMLDivElement,
  plot: RefObject<uPlot | undefined>,
  view: RefObject<[number, number] | undefined>,
  latest: () => ChartProps,
  { legend, instant }: LegendRefs,
): () => void {
  // Without React, since it changes with each move of the mouse.
  const onCursor = (index: number | null) => {
    const { lines, format, from, stepSeconds } = latest()
    const shown = lines.filter(({ faint }) => !faint)
    for (const [position, { figures, values: drawn }] of shown.entries()) {
      const values = figures ?? drawn
      const figure = legend.current?.children[position]?.lastElementChild
      if (figure) figure.textContent = format(index === null ? latestValue(values) : valueNear(values, index))
    }
    if (instant.current)
      instant.current.textContent = index === null ? '' : describeInstant(latest(), from + index * stepSeconds * 1000)
  }
  const top = () => {
    const { lines, atLeast = 0, atMost } = latest()
    return axisMaximum(
      lines.map(({ values }) => values),
      atLeast,
      atMost,
    )
  }
  const { from, stepSeconds, lines } = latest()
  const drawing = { width: element.clientWidth, props: latest, ink: themeColors(element), top, onCursor }
  const options = plotOptions({ ...drawing, view: () => view.current })
  const created = new uPlot(options, columns(from, stepSeconds, lines) as uPlot.AlignedData, element)
  plot.current = created
  const resized = new ResizeObserver(() => {
    if (element.clientWidth !== created.width) created.setSize({ width: element.clientWidth, height: options.height })
  })
  resized.observe(element)
  let pressedAt = 0
  const press = ({ clientX }: MouseEvent) => {
    pressedAt = clientX
  }
  const click = ({ clientX }: MouseEvent) => {
    const { idx } = created.cursor
    const isDrag = Math.abs(clientX - pressedAt) > DRAG_PIXELS
    if (!isDrag && typeof idx === 'number') latest().onPick?.((created.data[0][idx] ?? 0) * 1000)
  }
  created.over.addEventListener('mousedown', press)
  created.over.addEventListener('click', click)
  created.over.addEventListener('dblclick', () => latest().onReset?.())
  const redraw = () => created.setData(created.data)
  const unfollow = followTouches(created, {
    times: () => timesOf(latest()),
    show: (next) => {
      view.current = next
      redraw()
    },
    onZoom: (from, to) => {
      const zoom = latest().onZoom
      if (zoom) return zoom(from, to)
      view.current = undefined
      redraw()
    },
  })
  return () => {
    unfollow()
    resized.disconnect()
    created.destroy()
    plot.current = undefined
  }
}
