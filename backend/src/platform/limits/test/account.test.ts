import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Account,
  type Answer,
  type CountRequest,
  createRequest,
  openAccount,
  owe,
  peek,
  settle,
  show,
  spend,
  spendShare,
} from '../account.ts'

const MINUTE = 7

/** The shared row as the statement of the store updates it. */
function createRow(lease = Number.POSITIVE_INFINITY) {
  const row: Answer = { minute: MINUTE, used: 0, held: 0, given: 0 }
  return {
    row,
    add: ({ waiting, debt, extra, heldChange }: CountRequest): Answer => {
      const given = row.held + heldChange <= lease ? extra : 0
      row.used += waiting + debt + given
      row.held += heldChange - extra + given
      row.given = given
      return { ...row }
    },
  }
}

/** One request on this instance; whether it was admitted, and the Remaining of its response. */
function request(account: Account, row: ReturnType<typeof createRow>, limit: number, lease: number, instances: number, free = 0) {
  let outcome = spend(account, limit, free)
  if (outcome === 'query') {
    const count = createRequest(account, 1, lease, instances)
    settle(account, count, row.add(count), limit)
    outcome = spend(account, limit)
  }
  return { isAdmitted: outcome === 'admitted', remaining: show(account, limit) }
}

describe('an account', () => {
  it('of a single instance admits exactly the limit and shows each Remaining once', () => {
    for (const lease of [0, 1, 5, 50]) {
      const row = createRow()
      const account = openAccount(MINUTE, 100)
      const responses = Array.from({ length: 130 }, () => request(account, row, 100, lease, 1))
      expect(responses.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(100)
      expect(responses.map(({ remaining }) => remaining)).toEqual([
        ...Array.from({ length: 100 }, (_, n) => 99 - n),
        ...Array<number>(30).fill(0),
      ])
    }
  })

  it('queries for each request without a lease, and once per block with a lease', () => {
    const queriesOf = (lease: number) => {
      const row = createRow()
      const account = openAccount(MINUTE, 1_000)
      let queries = 0
      const counting = { ...row, add: (count: CountRequest) => ((queries += 1), row.add(count)) }
      for (let n = 0; n < 1_200; n += 1) request(account, counting, 1_000, lease, 1)
      return queries
    }
    expect(queriesOf(0)).toBe(1_000)
    expect(queriesOf(50)).toBe(21)
  })

  it('never exceeds the limit and stays at most the lease below it, with any number of instances, restarts and orders [LIMIT-24, LIMIT-26]', () => {
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

  it('admits the first of a minute without a query, and adds them to the next one', () => {
    const row = createRow()
    const account = openAccount(MINUTE, 100)
    const used = () => row.row.used
    for (let n = 0; n < 5; n += 1) {
      expect(request(account, row, 100, 0, 1, 5)).toEqual({ isAdmitted: true, remaining: 99 - n })
      expect(used()).toBe(0)
    }
    expect(request(account, row, 100, 0, 1, 5)).toEqual({ isAdmitted: true, remaining: 94 })
    expect(used()).toBe(6)
    expect(request(openAccount(MINUTE, 3), row, 3, 0, 1, 5)).toMatchObject({ isAdmitted: true })
  })

  it('never exceeds the limit with what several instances admit without a query [LIMIT-24]', () => {
    const step = fc.record({ instance: fc.nat(3), requests: fc.integer({ min: 1, max: 40 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 20, max: 200 }), fc.nat(5), (steps, whole, free) => {
        const lease = Math.floor(whole / 20)
        const limit = whole - 3 * free
        const row = createRow(lease)
        const accounts = Array.from({ length: 4 }, () => openAccount(MINUTE, limit))
        const answers = steps.flatMap(({ instance, requests }) =>
          Array.from({ length: requests }, () => request(accounts[instance] as Account, row, limit, lease, 4, free)),
        )
        const admitted = answers.filter(({ isAdmitted }) => isAdmitted).length
        expect(admitted).toBeLessThanOrEqual(whole)
        expect(admitted).toBeGreaterThanOrEqual(admitted < answers.length ? limit - lease : 0)
      }),
      { numRuns: 500 },
    )
  })

  it('continues from its own counts after the database lost the row', () => {
    const row = createRow()
    const account = openAccount(MINUTE, 10)
    const requests = (times: number) =>
      Array.from({ length: times }, () => request(account, row, 10, 0, 1)).filter(({ isAdmitted }) => isAdmitted).length
    expect(requests(8)).toBe(8)
    Object.assign(row.row, { used: 0, held: 0 })
    expect(requests(5)).toBe(2)
    expect(row.row.used).toBe(10)
  })

  it('adds its debt to the next query, and keeps the debt within the limit', () => {
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

  it('admits its share while the database is unreachable, and reports it to the others afterwards', () => {
    const row = createRow()
    const account = openAccount(MINUTE, 10)
    expect(request(account, row, 10, 0, 2).isAdmitted).toBe(true)
    const alone = Array.from({ length: 6 }, () => spendShare(account, 10, 5))
    expect(alone).toEqual([...Array<string>(4).fill('admitted'), 'refused', 'refused'])
    expect(show(account, 10)).toBe(0)
    request(account, row, 10, 0, 2)
    expect(row.row.used).toBe(6)
  })

  it('joins the minute that another instance has already opened', () => {
    const row = createRow()
    row.row.minute = MINUTE + 1
    row.row.used = 3
    const account = openAccount(MINUTE, 10)
    expect(request(account, row, 10, 0, 2)).toEqual({ isAdmitted: true, remaining: 6 })
    expect(account.minute).toBe(MINUTE + 1)
  })
})
