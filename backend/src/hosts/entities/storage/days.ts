export { DAY_MS, HOUR_MS } from '@vedette/shared'
export { dayOf } from '../../../platform/time/day.ts'
