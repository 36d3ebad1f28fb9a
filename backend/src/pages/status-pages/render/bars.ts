import { DAY_MS, HOUR_MS } from '@vedette/shared'
import type { PageComponent } from '../reading/model.ts'
import { escape } from './escape.ts'
import { uptimeClass, dayMessage } from './days.ts'
import type { Formats } from './formats.ts'

const [STEP, WIDTH, HEIGHT] = [5, 4, 28]
const DAYS = 90
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

/** The times below the charts of response times: of their first hour, and of now. The same for all of a page. */
export function chartTimes(readAtMs: number, { hour }: Formats): string {
  const firstMs = (Math.floor(readAtMs / HOUR_MS) + 1) * HOUR_MS - DAY_MS
  return `<div class="r s"><span>${escape(hour(firstMs))}</span><span>${escape(hour(readAtMs))}</span></div>`
}

/**
 * Hourly means of a day as a line, below their mean, with the values at top and bottom; hours without a response are gaps. Undefined
 * without a response.
 */
export function chartOf(component: PageComponent, times: string, formats: Formats): string | undefined {
  const { name, responseMs, avgResponseMs } = component
  const chart = drawOnce(responseMs, [name, avgResponseMs, formats.language], () => drawChart(component, formats))
  return chart && `${chart}${times}</div>`
}

function drawBars({ name, days, downSeconds, uptimePercent }: PageComponent, todayMs: number, formats: Formats): string {
  const { texts } = formats
  const firstDay = Math.floor(todayMs / DAY_MS) - days.length + 1
  const paths = new Map<string, string>()
  const titled: string[] = []
  const kinds = days.map(uptimeClass)
  for (let index = 0, end: number; index < days.length; index = end) {
    const kind = kinds[index] as (typeof kinds)[number]
    end = index + 1
    if (kind === 'g' || kind === 'd') {
      const title = `${formats.day((firstDay + index) * DAY_MS)}: ${dayMessage(days[index] ?? 0, downSeconds?.[index], formats)}`
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
  const percent = uptimePercent === null ? '–' : formats.uptime(uptimePercent)
  const label = texts.bars(name, percent, days.filter((day) => day !== null).length, titled.length)
  return (
    `<svg class="bars" data-f="${firstDay}" data-n="${runsWithoutChecks(days)}" role="img" aria-label="${escape(label)}" viewBox="0 0 ${DAYS * STEP - 1} ${HEIGHT}" preserveAspectRatio="none">` +
    `${[...plain].join('')}${titled.join('')}</svg>`
  )
}

/** Days without checks, for the script of the page: `0-52,60-60`. */
function runsWithoutChecks(days: readonly (number | null)[]): string {
  const runs: string[] = []
  for (let index = 0, end: number; index < days.length; index = end) {
    end = index + 1
    if (days[index] !== null) continue
    while (days[end] === null) end += 1
    runs.push(`${index}-${end - 1}`)
  }
  return runs.join()
}

const [HOUR_WIDTH, CHART_HEIGHT] = [10, 48]
/** Round numbers for the top of a chart, times a power of ten. */
const ROUND = [1, 1.5, 2, 3, 4, 5, 6, 8, 10]

/** The least round number that is not below the value. */
export function roundUp(value: number): number {
  const power = Math.floor(Math.log10(value))
  // A negative power of ten is not exact.
  const scaled = (step: number) => (power < 0 ? step / 10 ** -power : step * 10 ** power)
  return scaled(ROUND.find((step) => scaled(step) >= value) ?? 10)
}

/** An open element: the times follow. */
function drawChart({ name, responseMs, avgResponseMs }: PageComponent, { texts, ...formats }: Formats): string | undefined {
  const most = Math.max(...responseMs.map((value) => value ?? 0))
  if (most === 0 || avgResponseMs === null) return undefined
  const top = roundUp(most)
  let [line, area] = ['', '']
  for (const [index, value] of responseMs.entries()) {
    if (value === null) continue
    const x = index * HOUR_WIDTH
    const y = Math.round((1 - value / top) * CHART_HEIGHT * 10) / 10
    const isFirst = (responseMs[index - 1] ?? null) === null
    // A single hour between gaps would be a point without length.
    line += isFirst ? `M${x} ${y}h.1` : `L${x} ${y}`
    area += isFirst ? `M${x} ${CHART_HEIGHT}V${y}` : `L${x} ${y}`
    if ((responseMs[index + 1] ?? null) === null) area += `V${CHART_HEIGHT}z`
  }
  const label = (value: number) => `<span>${escape(formats.milliseconds(value))}</span>`
  return (
    `<p class="s">${escape(texts.response(formats.milliseconds(avgResponseMs)))}</p><div class="chart"><div class="y s">${label(top)}${label(0)}</div>` +
    `<svg class="line" role="img" aria-label="${escape(texts.responseChart(name))}" viewBox="0 0 ${(responseMs.length - 1) * HOUR_WIDTH} ${CHART_HEIGHT}" ` +
    `preserveAspectRatio="none"><path class="f" d="${area}"/><path d="${line}"/></svg>`
  )
}
