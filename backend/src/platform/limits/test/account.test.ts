import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Account,
  type Answer,
  type Ask,
  askFor,
  openAccount,
  owe,
  peek,
  settle,
  show,
  spend,
  spendShare,
} from '../account.ts'

const MINUTE = 7

/** The shared row, as the store's statement keeps it. */
function createRow(lease = Number.POSITIVE_INFINITY) {
  const row: Answer = { minute: MINUTE, used: 0, held: 0, given: 0 }
  return {
    row,
    add: ({ waiting, debt, extra, heldChange }: Ask): Answer => {
      const given = row.held + heldChange <= lease ? extra : 0
      row.used += waiting + debt + given
      row.held += heldChange - extra + given
      row.given = given
      return { ...row }
    },
  }
}

/** One request on this instance; whether it was admitted, and the Remaining that it was told. */
function request(account: Account, row: ReturnType<typeof createRow>, limit: number, lease: number, instances: number) {
  let verdict = spend(account, limit)
  if (verdict === 'ask') {
    const ask = askFor(account, 1, lease, instances)
    settle(account, ask, row.add(ask), limit)
    verdict = spend(account, limit)
  }
  return { isAdmitted: verdict === 'admitted', remaining: show(account, limit) }
}

describe('an account', () => {
  it('that is alone admits exactly the limit, and tells each number once', () => {
    for (const lease of [0, 1, 5, 50]) {
      const row = createRow()
      const account = openAccount(MINUTE, 100)
      const told = Array.from({ length: 130 }, () => request(account, row, 100, lease, 1))
      expect(told.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(100)
      expect(told.map(({ remaining }) => remaining)).toEqual([
        ...Array.from({ length: 100 }, (_, n) => 99 - n),
        ...Array<number>(30).fill(0),
      ])
    }
  })

  it('asks for each request where nothing is leased, and once for a block where something is', () => {
    const asksOf = (lease: number) => {
      const row = createRow()
      const account = openAccount(MINUTE, 1_000)
      let asks = 0
      const counting = { ...row, add: (ask: Ask) => ((asks += 1), row.add(ask)) }
      for (let n = 0; n < 1_200; n += 1) request(account, counting, 1_000, lease, 1)
      return asks
    }
    expect(asksOf(0)).toBe(1_000)
    expect(asksOf(50)).toBe(21)
  })

  it('is never over the limit and at most the lease short, with however many others, restarts and orders [LIMIT-24, LIMIT-26]', () => {
    const step = fc.record({ instance: fc.nat(3), requests: fc.integer({ min: 1, max: 40 }), restarts: fc.boolean() })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, limit, known) => {
          const lease = Math.floor(limit / 20)
          const row = createRow(lease)
          const accounts = Array.from({ length: 4 }, () => openAccount(MINUTE, limit))
          let admitted = 0
          let refused = 0
          for (const { instance, requests, restarts } of steps) {
            if (restarts) accounts[instance] = openAccount(MINUTE, limit)
            const account = accounts[instance] as Account
            let before = peek(account, limit)
            for (let n = 0; n < requests; n += 1) {
              const { isAdmitted, remaining } = request(account, row, limit, lease, known)
              admitted += isAdmitted ? 1 : 0
              refused += isAdmitted ? 0 : 1
              expect(remaining).toBeGreaterThanOrEqual(0)
              expect(remaining).toBeLessThanOrEqual(before)
              before = remaining
            }
          }
          expect(admitted).toBeLessThanOrEqual(limit)
          const least = refused > 0 ? limit - lease : 0
          expect(admitted).toBeGreaterThanOrEqual(least)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('goes on from what it remembers when the database lost the count', () => {
    const row = createRow()
    const account = openAccount(MINUTE, 10)
    const requests = (times: number) =>
      Array.from({ length: times }, () => request(account, row, 10, 0, 1)).filter(({ isAdmitted }) => isAdmitted).length
    expect(requests(8)).toBe(8)
    Object.assign(row.row, { used: 0, held: 0 })
    expect(requests(5)).toBe(2)
    expect(row.row.used).toBe(10)
  })

  it('counts what it owes with the next ask, and does not grow beyond the limit', () => {
    const row = createRow()
    const account = openAccount(MINUTE, 10)
    for (let n = 0; n < 3; n += 1) owe(account, 10)
    expect(show(account, 10)).toBe(7)
    expect(request(account, row, 10, 0, 1)).toEqual({ isAdmitted: true, remaining: 6 })
    expect(row.row.used).toBe(4)
    for (let n = 0; n < 1_000; n += 1) owe(account, 10)
    expect(account.debt).toBe(10)
    expect(request(account, row, 10, 0, 1)).toEqual({ isAdmitted: false, remaining: 0 })
  })

  it('admits its share while nobody can be asked, and tells the others afterwards', () => {
    const row = createRow()
    const account = openAccount(MINUTE, 10)
    expect(request(account, row, 10, 0, 2).isAdmitted).toBe(true)
    const alone = Array.from({ length: 6 }, () => spendShare(account, 10, 5))
    expect(alone).toEqual([...Array<string>(4).fill('admitted'), 'refused', 'refused'])
    expect(show(account, 10)).toBe(0)
    request(account, row, 10, 0, 2)
    expect(row.row.used).toBe(6)
  })

  it('joins the minute that another instance has opened already', () => {
    const row = createRow()
    row.row.minute = MINUTE + 1
    row.row.used = 3
    const account = openAccount(MINUTE, 10)
    expect(request(account, row, 10, 0, 2)).toEqual({ isAdmitted: true, remaining: 6 })
    expect(account.minute).toBe(MINUTE + 1)
  })
})
