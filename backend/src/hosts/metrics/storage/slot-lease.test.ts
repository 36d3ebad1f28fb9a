import { expect, it } from 'vitest'
import { leaseOf, RENEWAL_DAYS } from './slot-lease.ts'

const DAY = 86_400_000

it('a slot is its name’s until its last sample is past its retention, although the last day was recorded a renewal too early', () => {
  const retentionDays = 400
  const recorded = 20_000
  const lastSample = recorded + RENEWAL_DAYS
  const { usableUntilDay, reusableFromDay } = leaseOf(recorded, retentionDays * DAY)
  expect(usableUntilDay).toBeGreaterThan(lastSample + retentionDays)
  expect(reusableFromDay).toBe(usableUntilDay + 1)
})

it('part of a day counts as one', () => expect(leaseOf(0, 1)).toEqual(leaseOf(0, DAY)))
