import { describe, expect, it } from 'vitest'
import { newRandomId } from '../../ids.ts'
import { ALL_SLICES, SLICES, slicesOf } from '../slices.ts'

const processes = (count: number) => Array.from({ length: count }, newRandomId)
const sharesOf = (all: readonly string[]) =>
  all.map((one) =>
    slicesOf(
      one,
      all.filter((other) => other !== one),
    ),
  )

describe('the slices of processes', () => {
  it('are all slices, each of one process', () => {
    for (const count of [1, 2, 3, 7]) {
      const ids = sharesOf(processes(count)).flatMap((share) => share.ids)
      expect(ids.sort((one, other) => one - other)).toEqual(ALL_SLICES.ids)
    }
  })

  it('are about as many for each', () => {
    for (const count of [2, 3, 7])
      for (const { ids } of sharesOf(processes(count))) {
        const even = SLICES / count
        // Six standard deviations.
        expect(Math.abs(ids.length - even)).toBeLessThan(6 * Math.sqrt(even))
      }
  })

  it('of a process are fewer for each that joins, and none of them comes from one that stays', () => {
    const [one = '', ...others] = processes(5)
    for (let count = 0; count < others.length; count += 1) {
      const before = slicesOf(one, others.slice(0, count))
      const after = slicesOf(one, others.slice(0, count + 1))
      expect(after.ids.length).toBeLessThan(before.ids.length)
      expect(after.ids.every((id) => before.has(id))).toBe(true)
    }
  })
})
