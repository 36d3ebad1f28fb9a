import { type RefObject, useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { ceiling, columns, hasValues, newest } from '../../lib/chart-data.ts'
import { useIsDark, usePreferences } from '../../lib/preferences.ts'
import { dayAndClock, exact } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { inks, optionsOf, USUAL_HEIGHT } from './options.ts'
import { inTurn } from './turns.ts'
import type { ChartProps } from './types.ts'

/** The end of a longer way is no click. */
const DRAG_PIXELS = 4
const SWATCH = ['', 'bg-chart-1', 'bg-chart-2', 'bg-chart-3', 'bg-chart-4', 'bg-chart-5', 'bg-chart-6']

/** Lines over time. Gaps are gaps; a drag zooms, a double click goes back, the legend tells the values at the cursor. */
export function Chart(props: ChartProps) {
  const { title, lines, from, stepSeconds, format, height = USUAL_HEIGHT } = props
  const { host, legend, instant } = usePlot(props)
  const isEmpty = !hasValues(lines)
  const summary = lines.map(({ label, values }) => `${label} ${format(newest(values))}`).join(', ')
  return (
    <figure className="panel min-w-0 px-3 pt-2.5 pb-1.5">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-1">
        <h2>{title}</h2>
        <span ref={instant} className="text-[0.86rem] text-muted" />
        <span ref={legend} className="ml-auto flex flex-wrap gap-x-3 text-[0.88rem] text-soft">
          {lines
            .filter(({ faint }) => !faint)
            .map(({ label, color, values }) => (
              <span key={label} className="flex items-center gap-1.5">
                <span className={`h-2 w-2 rounded-full ${SWATCH[color]}`} />
                {label} <span className="font-medium text-text">{format(newest(values))}</span>
              </span>
            ))}
        </span>
      </figcaption>
      <div className="relative">
        <div
          ref={host}
          role="img"
          // The plot comes after the first paint; what stands below would move then.
          style={{ minHeight: height }}
          aria-label={text.chart.label(title, isEmpty ? text.chart.none : `${summary}, ${exact(from)}, ${stepSeconds} s`)}
        />
        {isEmpty && <p className="pointer-events-none absolute inset-0 grid place-items-center text-muted">{text.chart.none}</p>}
      </div>
    </figure>
  )
}

/** In the place of a chart that is waited for, and as high: nothing below moves. */
export function ChartSkeleton({ height = USUAL_HEIGHT }: { height?: number }) {
  return (
    <div className="panel min-w-0 px-3 pt-2.5 pb-1.5">
      <div className="invisible px-1">
        <h2>&nbsp;</h2>
      </div>
      <div className="skeleton" style={{ height }} />
    </div>
  )
}

/** The plot in its element; made anew with the theme, fed anew with each answer. */
function usePlot(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const legend = useRef<HTMLSpanElement>(null)
  const instant = useRef<HTMLSpanElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const isDark = useIsDark()
  const { timeZone } = usePreferences()
  const names = props.lines.map(({ label }) => label).join()
  const data = useMemo(() => columns(props.from, props.stepSeconds, props.lines), [props.from, props.stepSeconds, props.lines])

  useEffect(() => {
    let unmake: (() => void) | undefined
    const takeBack = inTurn(() => {
      if (host.current) unmake = makePlot(host.current, plot, () => latest.current, { legend, instant })
    })
    return () => {
      takeBack()
      unmake?.()
    }
  }, [names, isDark, timeZone])

  useEffect(() => {
    plot.current?.setData(data as uPlot.AlignedData)
  }, [data])

  return { host, legend, instant }
}

interface Words {
  legend: RefObject<HTMLSpanElement | null>
  instant: RefObject<HTMLSpanElement | null>
}

/** Draws it with what is newest. What it gives back removes it. */
function makePlot(
  element: HTMLDivElement,
  plot: RefObject<uPlot | undefined>,
  latest: () => ChartProps,
  { legend, instant }: Words,
): () => void {
  // Without React: it changes with each move of the mouse.
  const onCursor = (index: number | null) => {
    const { lines, format, from, stepSeconds } = latest()
    const shown = lines.filter(({ faint }) => !faint)
    for (const [place, { values }] of shown.entries()) {
      const figure = legend.current?.children[place]?.lastElementChild
      if (figure) figure.textContent = format(index === null ? newest(values) : values[index])
    }
    if (instant.current) instant.current.textContent = index === null ? '' : dayAndClock(from + index * stepSeconds * 1000)
  }
  const top = () => {
    const { lines, atLeast = 0, atMost } = latest()
    return ceiling(
      lines.map(({ values }) => values),
      atLeast,
      atMost,
    )
  }
  const { from, stepSeconds, lines } = latest()
  const options = optionsOf({ width: element.clientWidth, props: latest, ink: inks(element), top, onCursor })
  const made = new uPlot(options, columns(from, stepSeconds, lines) as uPlot.AlignedData, element)
  plot.current = made
  const resized = new ResizeObserver(() => {
    if (element.clientWidth !== made.width) made.setSize({ width: element.clientWidth, height: options.height })
  })
  resized.observe(element)
  let pressedAt = 0
  const press = ({ clientX }: MouseEvent) => {
    pressedAt = clientX
  }
  const click = ({ clientX }: MouseEvent) => {
    const { idx } = made.cursor
    const isDrag = Math.abs(clientX - pressedAt) > DRAG_PIXELS
    if (!isDrag && typeof idx === 'number') latest().onPick?.((made.data[0][idx] ?? 0) * 1000)
  }
  made.over.addEventListener('mousedown', press)
  made.over.addEventListener('click', click)
  made.over.addEventListener('dblclick', () => latest().onReset?.())
  return () => {
    resized.disconnect()
    made.destroy()
    plot.current = undefined
  }
}
