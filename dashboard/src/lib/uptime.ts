interface Slot {
  tone: 'good' | 'warn' | 'bad' | 'none'
  value: number | null
}

/** Below this a step is shown as bad, above it as a warning. */
const BAD_BELOW = 95

/** The tone of each step of an uptime bar. */
export function daySlots(values: readonly (number | null)[]): Slot[] {
  return values.map((value) => {
    if (value === null) return { tone: 'none', value }
    if (value >= 100) return { tone: 'good', value }
    return { tone: value < BAD_BELOW ? 'bad' : 'warn', value }
  })
}
