const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Three digits or so, by thousands: `1.5 GB`. */
export function bytes(value: number): string {
  let unit = 0
  let rest = value
  while (rest >= 1000 && unit < UNITS.length - 1) {
    rest /= 1000
    unit += 1
  }
  return `${rest.toFixed(unit === 0 || rest >= 100 ? 0 : 1)} ${UNITS[unit]}`
}

/** What the host could not give is a dash, never a zero. */
export function known(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

type Value = number | null | undefined
export const percent = (value: Value): string => known(value, (number) => `${number.toFixed(1)} %`)
export const load = (value: Value): string => known(value, (number) => number.toFixed(2))
export const rate = (value: Value): string => known(value, (number) => `${bytes(number)}/s`)
export const count = (value: Value): string => known(value, (number) => number.toLocaleString())
export const cores = (value: Value): string => known(value, (number) => (number === 1 ? '1 core' : `${number} cores`))

/** How long ago an instant was; one of another day by its date. A clock that is behind the backend's sees no future. */
export function ago(timestamp: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(timestamp)) / 1000))
  if (seconds < 90) return `${seconds} s ago`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min ago` : new Date(timestamp).toLocaleString()
}
