/** Values of `period` of a monitor's stats, in milliseconds. */
export const STATS_PERIODS = {
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
} as const
export type StatsPeriod = keyof typeof STATS_PERIODS
