import { slos } from '../messages/slos.ts'
import { fixed, orDash } from './format.ts'

/** `85.2 %`; 100 % and 0 % only where it is exact. A budget that was used more than twice says how often. */
export const budgetText = (left: number | null): string =>
  orDash(left, (value) =>
    value <= -100
      ? slos.used(fixed((100 - value) / 100, 1))
      : `${value === 100 || value === 0 ? value : fixed(Math.floor(value * 10) / 10, 1)} %`,
  )
