/** What a client may send as `period`, in milliseconds. */
export const METRIC_PERIODS = { '15m': 900_000, '1h': 3_600_000, '6h': 21_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const
export type MetricPeriod = keyof typeof METRIC_PERIODS

/** Steps of a series, in seconds, smallest first. */
export const SERIES_STEPS_SECONDS = [10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400] as const
