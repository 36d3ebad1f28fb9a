import { DAY_MS } from '@vedette/shared'
import type { PageComponent } from '../reading/model.ts'
import { escape } from './escape.ts'
import type { Formats } from './formats.ts'

const [STEP, WIDTH, HEIGHT] = [5, 4, 28]
const DAYS = 90
/** From this share of successful checks on, a day counts as degraded, below it as down. */
const DEGRADED_FROM = 98

/** The class of the style, and of badges. */
export const uptimeClass = (percent: number | null): 'n' | 'u' | 'g' | 'd' =>
  percent === null ? 'n' : percent === 100 ? 'u' : percent >= DEGRADED_FROM ? 'g' : 'd'

/** By their values: those of a component are the same list until they are read again. */
const drawn = new WeakMap<readonly unknown[], { key: string; svg: string | undefined }>()

function drawOnce<T extends string | undefined>(list: readonly unknown[], parts: readonly unknown[], draw: () => T): T {
  const key = JSON.stringify(parts)
  const known = drawn.get(list)
  if (known?.key === key) return known.svg as T
  const svg = draw()
  drawn.set(list, { key, svg })
  return svg
}

/** 90 days as one small image: days of a kind are one path, and those below 100 % have a title of their own. The style has the dashes. */
export const barsOf = (component: PageComponent, todayMs: number, formats: Formats): string =>
  drawOnce(component.days, [component.name, component.uptimePercent, formats.language], () =>
    drawBars(component, todayMs, formats),
  )

/** Hourly means of a day as a line; hours without a response are gaps. Undefined without a response. */
export const chartOf = (component: PageComponent, formats: Formats): string | undefined =>
  drawOnce(component.responseMs, [component.name, component.avgResponseMs, formats.language], () => drawChart(component, formats))

function drawBars({ name, days, uptimePercent }: PageComponent, todayMs: number, { texts, ...formats }: Formats): string {
  const firstDay = Math.floor(todayMs / DAY_MS) - days.length + 1
  const paths = new Map<string, string>()
  const titled: string[] = []
  const kinds = days.map(uptimeClass)
  for (let index = 0, end: number; index < days.length; index = end) {
    const kind = kinds[index] as (typeof kinds)[number]
    end = index + 1
    if (kind === 'g' || kind === 'd') {
      const title = texts.day(formats.day((firstDay + index) * DAY_MS), formats.percent(days[index] ?? 0))
      titled.push(
        `<path class="${kind}" d="M${index * STEP} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z"><title>${escape(title)}</title></path>`,
      )
    } else {
      while (kinds[end] === kind) end += 1
      // One line of dashes, each a day, for days of a kind in a row.
      paths.set(kind, `${paths.get(kind) ?? ''}M${index * STEP} ${HEIGHT / 2}h${(end - index) * STEP - 1}`)
    }
  }
  const plain = paths.entries().map(([kind, shape]) => `<path class="${kind}" d="${shape}"/>`)
  const percent = uptimePercent === null ? '–' : formats.percent(uptimePercent)
  const label = texts.bars(name, percent, days.filter((day) => day !== null).length, titled.length)
  return (
    `<svg class="bars" role="img" aria-label="${escape(label)}" viewBox="0 0 ${DAYS * STEP - 1} ${HEIGHT}" preserveAspectRatio="none">` +
    `${[...plain].join('')}${titled.join('')}</svg>`
  )
}

const [HOUR_WIDTH, CHART_HEIGHT] = [10, 40]

function drawChart({ name, responseMs, avgResponseMs }: PageComponent, { texts, ...formats }: Formats): string | undefined {
  const known = responseMs.filter((value) => value !== null)
  if (known.length === 0 || avgResponseMs === null) return undefined
  const top = Math.max(...known) * 1.1 || 1
  let [path, isGap] = ['', true]
  for (const [index, value] of responseMs.entries()) {
    if (value === null) {
      isGap = true
      continue
    }
    const x = index * HOUR_WIDTH
    const y = Math.round((1 - value / top) * CHART_HEIGHT * 10) / 10
    // A single hour between gaps would be a point without length.
    path += isGap ? `M${x} ${y}h.1` : `L${x} ${y}`
    isGap = false
  }
  return (
    `<svg class="line" role="img" aria-label="${escape(texts.responseChart(name))}" viewBox="0 0 ${(responseMs.length - 1) * HOUR_WIDTH} ${CHART_HEIGHT}" ` +
    `preserveAspectRatio="none"><path d="${path}"/></svg><p class="s">${escape(texts.response(formats.milliseconds(avgResponseMs)))}</p>`
  )
}
