import type { LayerRestriction } from '@vedette/shared'
import { WEEKDAYS } from '@vedette/shared/tables'
import { newKey } from './rows.ts'

/** Hours of some days while they are edited. */
export interface HoursInput {
  key: number
  days: readonly string[]
  from: string
  to: string
  /** Of hours that have a time zone of their own. */
  zone?: string
}

export const newHours = (): HoursInput => ({ key: newKey(), days: WEEKDAYS.slice(0, 5), from: '09:00', to: '17:00' })

export const toHoursInput = (restriction: LayerRestriction): HoursInput => ({ key: newKey(), ...restriction })

export const toRestriction = ({ days, from, to }: HoursInput): LayerRestriction => ({
  days: WEEKDAYS.filter((day) => days.includes(day)),
  from,
  to,
})
