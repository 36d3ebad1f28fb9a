import { DAY_MS } from '@vedette/shared/tables'
import { certificates as text } from '../messages/certificates.ts'

/** Automatic renewal happens a month ahead; what is left two weeks before the end needs a person. */
const SOON_DAYS = 14
const LATER_DAYS = 30

export interface DaysLeft {
  /** A status whose mark and colours it has. */
  status: 'critical' | 'warning' | 'up'
  label: string
}

/** How long a certificate lasts, as a colour and as words. Pure. */
export function daysLeft(endsAt: string, nowMs: number): DaysLeft {
  const leftMs = Date.parse(endsAt) - nowMs
  const days = Math.floor(leftMs / DAY_MS)
  if (leftMs < 0) return { status: 'critical', label: text.expired }
  const label = days === 0 ? text.today : text.left(days)
  return { status: days < SOON_DAYS ? 'critical' : days < LATER_DAYS ? 'warning' : 'up', label }
}
