import type uPlot from 'uplot'
import { fixed } from '../../lib/format.ts'
import { clock, day, exactClock } from '../../lib/time.ts'
import { type ChartProps, DEFAULT_HEIGHT } from './types.ts'

/** The theme colours for a canvas. It cannot use CSS variables, so a hidden element resolves each one. */
export function themeColors(host: HTMLElement): (name: string) => string {
  const probe = document.createElement('span')
  probe.hidden = true
  host.append(probe)
  const colors = new Map<string, string>()
  for (const name of [
    'muted',
    'line',
    'bad',
    'bad-bar',
    'warn-bar',
    'idle',
    'chart-1',
    'chart-2',
    'chart-3',
    'chart-4',
    'chart-5',
    'chart-6',
  ]) {
    probe.style.color = `var(--${name})`
    colors.set(name, getComputedStyle(probe).color)
  }
  probe.remove()
  return (name) => colors.get(name) ?? 'gray'
}

const withAlpha = (color: string, share: number): string =>
  color.replace(/^rgb\((.*)\)$/, `rgb($1 / ${share})`).replaceAll(',', ' ')

const MINUTE_SECONDS = 60
const DAY_SECONDS = 86_400

/** Labels are times of day; the first one of a day, and steps of whole days, are dates. */
function instants(_plot: uPlot, splits: number[], _axis: number, _space: number, increment: number): string[] {
  let before = ''
  return splits.map((seconds) => {
    const date = day(seconds * 1000)
    const isNew = date !== before && before !== ''
    before = date
    if (increment >= DAY_SECONDS || isNew) return date
    return increment < MINUTE_SECONDS ? exactClock(seconds * 1000) : clock(seconds * 1000)
  })
}

/** A value between two gaps has no line and is drawn as a dot. */
const isolatedPoints: uPlot.Series.Points.Filter = (plot, series, isShown) => {
  if (!isShown) return null
  const values = plot.data[series] as (number | null)[]
  return values.flatMap((value, index) => (value !== null && isGap(values[index - 1]) && isGap(values[index + 1]) ? [index] : []))
}
const isGap = (value: number | null | undefined): boolean => value === null || value === undefined

const [, POINT = '.'] = fixed(0, 1)
const ZEROS = new RegExp(`[${POINT}]0+(?!\\d)`)
/** Removes `.0`, or `,0` where the language writes so, from the labels of an axis. */
const round = (words: string): string => words.replace(ZEROS, '')

/** Charts share the position of the cursor, but not drags. */
const isMove = (event: string): boolean => event === 'mousemove' || event === 'mouseleave'

const FONT = '11px system-ui, sans-serif'

const BAND_COLORS = { bad: 'bad-bar', warn: 'warn-bar', idle: 'idle' } as const

/** Draws behind the lines: the bands over the whole height, narrow ones at least 2 pixels wide. */
function drawBands(plot: uPlot, { bands = [] }: ChartProps, ink: PlotInput['ink']): void {
  const { ctx, bbox } = plot
  ctx.save()
  for (const { from, to, tone } of bands) {
    const [left, right] = [from, to].map((ms) =>
      Math.min(Math.max(plot.valToPos(ms / 1000, 'x', true), bbox.left), bbox.left + bbox.width),
    ) as [number, number]
    if (to / 1000 < (plot.scales['x']?.min ?? 0) || from / 1000 > (plot.scales['x']?.max ?? 0)) continue
    ctx.fillStyle = withAlpha(ink(BAND_COLORS[tone]), tone === 'idle' ? 0.16 : 0.22)
    ctx.fillRect(left, bbox.top, Math.max(right - left, 2 * devicePixelRatio), bbox.height)
  }
  ctx.restore()
}

/** Draws over the lines: dashed thresholds and marks. */
function drawRulers(plot: uPlot, { marks = [], thresholds = [] }: ChartProps, ink: PlotInput['ink']): void {
  const { ctx, bbox } = plot
  const line = (x1: number, y1: number, x2: number, y2: number) => {
    ctx.beginPath()
    ctx.moveTo(x1, y1)
    ctx.lineTo(x2, y2)
    ctx.stroke()
  }
  ctx.save()
  ctx.lineWidth = devicePixelRatio
  ctx.strokeStyle = ink('bad')
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio])
  for (const value of thresholds) {
    const y = plot.valToPos(value, 'y', true)
    if (y >= bbox.top && y <= bbox.top + bbox.height) line(bbox.left, y, bbox.left + bbox.width, y)
  }
  ctx.strokeStyle = ink('muted')
  ctx.setLineDash([2 * devicePixelRatio, 2 * devicePixelRatio])
  for (const { at } of marks) {
    const x = plot.valToPos(at / 1000, 'x', true)
    if (x >= bbox.left && x <= bbox.left + bbox.width) line(x, bbox.top, x, bbox.top + bbox.height)
  }
  ctx.restore()
}

interface PlotInput {
  width: number
  props: () => ChartProps
  ink: (name: string) => string
  top: () => number
  onCursor: (index: number | null) => void
  /** Seconds of what a gesture shows; undefined: all. */
  view: () => [number, number] | undefined
}

/** The first and the last instant, in seconds. */
export function timesOf({ from, stepSeconds, lines }: ChartProps): [number, number] {
  const points = Math.max(2, ...lines.map(({ values }) => values.length))
  return [from / 1000, from / 1000 + (points - 1) * stepSeconds]
}

/** The bottom of the axis: 0, or below it the lowest value, as of frost or of a budget that was exceeded. */
export const lowestOf = ({ lines }: Pick<ChartProps, 'lines'>): number =>
  lines.reduce((lowest, { values }) => values.reduce<number>((least, value) => Math.min(least, value ?? 0), lowest), 0)

/** Options of uPlot. Callbacks read the current data, since the plot outlives a single answer. */
export function plotOptions({ width, props, ink, top, onCursor, view }: PlotInput): uPlot.Options {
  const { lines, height = DEFAULT_HEIGHT, shared, format } = props()
  const axis = { stroke: ink('muted'), font: FONT, grid: { stroke: ink('line'), width: 1 }, ticks: { show: false } }
  return {
    width,
    height,
    padding: [10, 18, 0, 0],
    legend: { show: false },
    scales: {
      x: {
        time: true,
        range: () => view() ?? timesOf(props()),
      },
      y: { range: () => [lowestOf(props()), top()] },
    },
    axes: [
      { ...axis, size: 26, space: 64, values: instants, grid: { show: false } },
      { ...axis, size: 62, space: 34, gap: 6, values: (_plot, splits) => splits.map((value) => round(format(value))) },
    ],
    series: [
      {},
      ...lines.map(({ label, color, area, faint, dashed, solid }): uPlot.Series => {
        const stroke = ink(`chart-${color}`)
        return {
          label,
          stroke: faint ? withAlpha(stroke, 0.45) : stroke,
          width: faint ? 1 : 1.6,
          ...(dashed ? { dash: [4, 4] } : {}),
          spanGaps: false,
          points: { show: true, size: 4, fill: stroke, filter: isolatedPoints },
          ...(area ? { fill: withAlpha(stroke, 0.13) } : {}),
          ...(solid ? { fill: stroke } : {}),
        }
      }),
    ],
    cursor: {
      ...(shared === undefined ? {} : { sync: { key: shared, scales: ['x', null], filters: { pub: isMove, sub: isMove } } }),
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
    },
    hooks: {
      drawClear: [(plot) => drawBands(plot, props(), ink)],
      draw: [(plot) => drawRulers(plot, props(), ink)],
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < 6) return
          const at = (position: number) => Math.round(plot.posToVal(position, 'x') * 1000)
          const [from, to] = [at(left), at(left + width)]
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          if (to - from >= 60_000) props().onZoom?.(from, to)
        },
      ],
    },
  }
}
