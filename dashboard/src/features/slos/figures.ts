import { BURN_ALERTS, type BurnAlert } from '@vedette/shared/tables'
import { fixed, orDash } from '../../lib/format.ts'
import { locale } from '../../messages/language.ts'

/** Three decimals, as an objective may have; what is good is never rounded up to the objective. */
export const share = (percent: number): string =>
  `${(Math.floor(percent * 1000 + 1e-6) / 1000).toLocaleString(locale, { maximumFractionDigits: 3 })} %`

export const burnText = (rate: number | null): string => orDash(rate, (value) => `${fixed(value, value >= 100 ? 0 : 2)}×`)

/** The threshold of an alert: `14.4×`. */
export const factorText = (alert: BurnAlert): string => `${BURN_ALERTS[alert].factor.toLocaleString(locale)}×`
