import type { RefObject } from 'react'
import uPlot from 'uplot'
import { axisMaximum, columns, latestValue, valueNear } from '../../lib/chart-data.ts'
import { dayAndClock } from '../../lib/time.ts'
import { plotOptions, themeColors, timesOf } from './options.ts'
import { followTouches } from './touch.ts'
import type { ChartProps } from './types.ts'

/** A longer movement is a drag, not a click. */
const DRAG_PIXELS = 4

/** The time, and what was the case then. */
function describeInstant({ bands = [], marks = [], stepSeconds }: ChartProps, at: number): string {
  const stepMs = stepSeconds * 1000
  const labels = [
    ...bands.filter(({ from, to }) => from < at + stepMs && to >= at).map(({ label }) => label),
    ...marks.filter((mark) => Math.abs(mark.at - at) <= stepMs).map(({ label }) => label),
  ]
  return [dayAndClock(at), ...new Set(labels)].join(' · ')
}

/** The elements that show what is at the cursor. */
interface LegendRefs {
  legend: RefObject<HTMLSpanElement | null>
  instant: RefObject<HTMLSpanElement | null>
}

/** Creates the plot from the latest props. Returns a function that removes it. */
export function createPlot(
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
