import { messages } from '../messages/index.ts'

interface Drawn {
  /** ms */
  from: number
  stepSeconds: number
  lines: readonly { label: string; values: readonly (number | null)[]; figures?: readonly (number | null)[] }[]
}

/** Times in UTC, and a column for each line; an empty cell is a gap. */
export function csvOf({ from, stepSeconds, lines }: Drawn): string {
  const points = Math.max(0, ...lines.map(({ values }) => values.length))
  const rows = Array.from({ length: points }, (_, index) =>
    [
      new Date(from + index * stepSeconds * 1000).toISOString(),
      ...lines.map(({ values, figures = values }) => figures[index] ?? ''),
    ].join(','),
  )
  return [[messages.chart.time, ...lines.map(({ label }) => quoted(label))].join(','), ...rows, ''].join('\r\n')
}

/** A spreadsheet calculates what begins like a formula. */
const quoted = (cell: string): string => `"${(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`
