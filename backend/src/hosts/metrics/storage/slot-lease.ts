import { DAY_MS } from './schedule.ts'

/** How far `last_day` of a slot may be behind its last stored sample: writing it each day would cost more than the samples. */
export const RENEWAL_DAYS = 30
/** More than a day passes until a sample is compacted, and a sample may be a week late. */
const COMPACTION_DAYS = 10
/** Every instance has read a slot again before another name gets it, also one whose clock is slow. */
const HANDOVER_DAYS = 1

export interface SlotLease {
  /** The last day on which a cached slot is its name's without a new claim. */
  usableUntilDay: number
  /** The first day on which another name may get the slot: no sample of its name can be read any more. */
  reusableFromDay: number
}

/** The lease of a slot whose last stored sample is of `lastDay` (days since the epoch), or up to RENEWAL_DAYS later. Pure. */
export function leaseOf(lastDay: number, retentionMs: number): SlotLease {
  const usableUntilDay = lastDay + Math.ceil(retentionMs / DAY_MS) + RENEWAL_DAYS + COMPACTION_DAYS
  return { usableUntilDay, reusableFromDay: usableUntilDay + HANDOVER_DAYS }
}
