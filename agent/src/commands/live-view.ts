import type { SampleValues } from '@vedette/shared'
import { oneLine, truncateText } from '@vedette/shared/outside-text'
import type { Reading } from '../samplers/sampler.ts'

const BARS = '▁▂▃▄▅▆▇█'
/** Two minutes at a sample a second. */
const MAX_POINTS = 120

interface Row {
  title: string
  /** Undefined when this sample has no such value. */
  read(values: SampleValues): number | null | undefined
  format(value: number): string
  /** The value of a full bar; default: the highest value shown. */
  full?: number
}

const percent = (value: number) => `${value.toFixed(1)} %`
const rate = (unit: string) => (value: number) => `${scaled(value)}${unit}/s`

const ROWS: readonly Row[] = [
  { title: 'cpu', read: ({ cpu }) => cpu?.percent, format: percent, full: 100 },
  { title: 'iowait', read: ({ cpu }) => cpu?.iowait_percent, format: percent, full: 100 },
  { title: 'load 1 min', read: ({ cpu }) => cpu?.load_1, format: (value) => value.toFixed(2) },
  { title: 'memory', read: ({ memory }) => memory?.percent, format: percent, full: 100 },
  { title: 'swap', read: ({ memory }) => memory?.swap_percent, format: percent, full: 100 },
  { title: 'disk read', read: ({ disk }) => disk?.read_throughput_bps, format: rate('B') },
  { title: 'disk write', read: ({ disk }) => disk?.write_throughput_bps, format: rate('B') },
  { title: 'fullest disk', read: ({ disk }) => disk?.usage_percent, format: percent, full: 100 },
  { title: 'received', read: ({ network }) => network?.rx_bytes_per_sec, format: rate('B') },
  { title: 'sent', read: ({ network }) => network?.tx_bytes_per_sec, format: rate('B') },
  { title: 'connections', read: ({ tcp }) => tcp?.established, format: (value) => String(value) },
]

/** With decimal units. */
function scaled(value: number): string {
  const step = value < 1_000 ? 0 : Math.min(5, Math.floor(Math.log10(value) / 3))
  const number = value / 1_000 ** step
  return `${number.toFixed(step === 0 ? 0 : 1)} ${['', 'k', 'M', 'G', 'T', 'P'][step]}`
}

/** One value per column, the newest at the right; a gap where none was measured. */
export function sparkline(values: readonly (number | undefined)[], width: number, full?: number): string {
  const shown = values.slice(-width)
  const highest = full ?? Math.max(0, ...shown.filter((value) => value !== undefined))
  const bars = shown.map((value) => {
    if (value === undefined) return ' '
    return BARS[highest > 0 ? Math.min(BARS.length - 1, Math.floor((value / highest) * BARS.length)) : 0]
  })
  return bars.join('').padStart(width)
}

/** Collects readings and draws them: a line per value, then the filesystems. */
export function createLiveView(): { add(reading: Reading): void; draw(columns: number): string } {
  const history = new Map<string, (number | undefined)[]>()
  let newest: Reading = { values: {} }
  return {
    add: (reading) => {
      newest = reading
      for (const { title, read } of ROWS) {
        const points = history.get(title) ?? []
        points.push(read(reading.values) ?? undefined)
        history.set(title, points.slice(-MAX_POINTS))
      }
    },
    draw: (columns) => {
      const width = Math.max(10, Math.min(MAX_POINTS, columns - 30))
      const lines = ROWS.map(({ title, format, full }) => {
        const points = history.get(title) ?? []
        const value = points.at(-1)
        return `${title.padEnd(13)}${(value === undefined ? '-' : format(value)).padStart(14)}  ${sparkline(points, width, full)}`
      })
      for (const { mount, percent: fill, used_bytes: used, total_bytes: total } of newest.filesystems ?? []) {
        lines.push(`${percent(fill).padStart(27)}  ${oneLine(mount)} (${scaled(used)}B of ${scaled(total)}B)`)
      }
      return lines.map((line) => truncateText(line, columns)).join('\n')
    },
  }
}
