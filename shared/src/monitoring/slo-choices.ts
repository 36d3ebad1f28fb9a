/** What fields of SLOs may be. This file needs no schema library, so that the page can load it alone. */
export const SLO_KINDS = ['availability', 'latency'] as const
export type SloKind = (typeof SLO_KINDS)[number]
/** Rolling windows in days, and calendar periods in months. */
export const SLO_DAYS = { '7d': 7, '28d': 28, '30d': 30, '90d': 90 } as const
export const SLO_MONTHS = { month: 1, quarter: 3 } as const
export const SLO_WINDOWS = ['7d', '28d', '30d', '90d', 'month', 'quarter'] as const
export type SloWindow = (typeof SLO_WINDOWS)[number]

/**
 * The alerts of Google's SRE workbook: while the error budget burns so many times faster than it lasts, over a long and a short window.
 */
export const BURN_ALERTS = {
  '1h': { factor: 14.4, longSeconds: 3_600, shortSeconds: 300, severity: 'critical' },
  '6h': { factor: 6, longSeconds: 21_600, shortSeconds: 1_800, severity: 'critical' },
  '3d': { factor: 1, longSeconds: 259_200, shortSeconds: 21_600, severity: 'warning' },
} as const
export const BURN_ALERT_NAMES = ['1h', '6h', '3d'] as const
export type BurnAlert = (typeof BURN_ALERT_NAMES)[number]

/** That an SLO counts. */
export const MAX_SLO_MONITORS = 1_000
