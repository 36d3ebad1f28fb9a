import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/fake-clock.ts'
import { createGroupCommit, Dropped, type Failure, type GroupCommitOptions } from './group-commit.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

interface Item {
  id: number
  lane: string
  /** Rows of it in one statement may not repeat. */
  key: number
  isFaulty: boolean
}

type Attempt = 'answers' | 'away' | 'kept'

const item = fc.record({ lane: fc.constantFrom('a', 'b'), key: fc.nat(5), isFaulty: fc.boolean() })
/** Items that are added, or a statement that ends. */
const step = fc.oneof(
  fc.array(item, { minLength: 1, maxLength: 8 }),
  fc.constantFrom<Attempt>('answers', 'answers', 'away', 'kept'),
)

const MAX_ROWS = 4
const KEEP_MS = 100

/** A store whose statements end when the test says so. */
function createManualStore(options: Partial<GroupCommitOptions<Item, number>> = {}) {
  const clock = createFakeClock(0)
  const running = new Map<string, { items: readonly Item[]; end(attempt: Attempt): void }>()
  const statements: { items: readonly Item[]; lane: string; isCommitted: boolean }[] = []
  const committed = new Set<number>()
  const commit = createGroupCommit<Item, number>({
    store: async (items, lane) => {
      expect(running.has(lane)).toBe(false)
      const { promise, resolve } = Promise.withResolvers<Attempt>()
      running.set(lane, { items, end: resolve })
      const attempt = await promise
      running.delete(lane)
      const isCommitted = attempt === 'answers' && items.every(({ isFaulty }) => !isFaulty)
      statements.push({ items, lane, isCommitted })
      if (!isCommitted) throw attempt === 'answers' ? 'fault' : attempt
      for (const { id } of items) committed.add(id)
      return items.map(({ id }) => id)
    },
    maxRows: MAX_ROWS,
    laneOf: ({ lane }) => lane,
    onFailure: (error): Failure => {
      if (error === 'fault') return { action: 'each' }
      return error === 'kept' ? { action: 'keep', forMs: KEEP_MS } : { action: 'lane', error }
    },
    clock,
    ...options,
  })
  async function end(attempt: Attempt): Promise<void> {
    for (const statement of running.values()) statement.end(attempt)
    await yieldToEventLoop()
    clock.advance(KEEP_MS)
    await yieldToEventLoop()
  }
  return { commit, statements, committed, running, clock, end }
}

describe('a group commit', () => {
  it('answers each item once, after its commit and with its own answer, whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { commit, committed, statements, end } = createManualStore()
        const answers: { item: Item; answer: Promise<string> }[] = []
        let wasAway = false
        for (const now of steps) {
          if (typeof now === 'string') {
            wasAway ||= now === 'away'
            await end(now)
            continue
          }
          for (const given of now) {
            const added = { ...given, id: answers.length }
            const answer = commit.add(added).then(
              (id) => (id === added.id && committed.has(id) ? 'stored' : 'a wrong answer'),
              (error: unknown) => (committed.has(added.id) ? 'refused though stored' : String(error)),
            )
            answers.push({ item: added, answer })
          }
          expect(commit.size()).toBeGreaterThan(0)
        }
        while (commit.size() > 0) await end('answers')
        for (const { item: added, answer } of answers) {
          const expected = added.isFaulty ? ['fault'] : ['stored']
          expect(wasAway ? [...expected, 'away'] : expected).toContain(await answer)
        }
        // Nothing is stored twice, and no statement is longer than it may be.
        const ids = statements.filter(({ isCommitted }) => isCommitted).flatMap(({ items }) => items.map(({ id }) => id))
        expect(new Set(ids).size).toBe(ids.length)
        expect(Math.max(0, ...statements.map(({ items }) => items.length))).toBeLessThanOrEqual(MAX_ROWS)
        // Each lane is stored in the order in which its items were added.
        for (const lane of ['a', 'b']) {
          const ofLane = ids.filter((id) => answers[id]?.item.lane === lane)
          expect(ofLane).toEqual(ofLane.toSorted((left, right) => left - right))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('puts into a statement only what fits, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 30 }), async (keys) => {
        const fits = () => {
          const taken = new Set<number>()
          return ({ key }: Item) => {
            if (taken.size === MAX_ROWS) return 'full'
            return taken.has(key) ? 'later' : (taken.add(key), 'now')
          }
        }
        const { commit, statements, end } = createManualStore({ fits })
        for (const [id, key] of keys.entries()) void commit.add({ id, key, lane: 'a', isFaulty: false })
        while (commit.size() > 0) await end('answers')
        for (const { items } of statements) expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
        for (const key of keys) {
          const ids = statements.flatMap(({ items }) => items.filter((stored) => stored.key === key).map(({ id }) => id))
          expect(ids).toEqual(ids.toSorted((left, right) => left - right))
        }
        expect(statements.flatMap(({ items }) => items)).toHaveLength(keys.length)
      }),
    )
  })

  const one = (id: number, lane = 'a'): Item => ({ id, lane, key: id, isFaulty: false })

  it('stores at once what finds nothing in flight, and the rest together after it', async () => {
    const { commit, statements, end } = createManualStore()
    const added = [1, 2, 3].map((id) => commit.add(one(id)))
    await end('answers')
    await end('answers')
    expect(await Promise.all(added)).toEqual([1, 2, 3])
    expect(statements.map(({ items }) => items.map(({ id }) => id))).toEqual([[1], [2, 3]])
  })

  it('does not let a lane wait for another', async () => {
    const { commit, running } = createManualStore()
    void commit.add(one(1, 'a'))
    const other = commit.add(one(2, 'b'))
    running.get('b')?.end('answers')
    expect(await other).toBe(2)
    expect(commit.size()).toBe(1)
  })

  it('refuses what exceeds its size, or the oldest that waits', async () => {
    const full = createManualStore({ maxSize: 3, sizeOf: ({ key }) => key, full: () => new Error('full') })
    void full.commit.add(one(3))
    await expect(full.commit.add(one(1))).rejects.toThrow('full')
    await full.end('answers')
    expect(full.commit.size()).toBe(0)
    const dropping = createManualStore({ maxSize: 2, full: () => 'drop the oldest' })
    const [stored, dropped, kept] = [1, 2, 3].map((id) => dropping.commit.add(one(id)))
    await expect(dropped).rejects.toBeInstanceOf(Dropped)
    await dropping.end('answers')
    await dropping.end('answers')
    expect(await Promise.all([stored, kept])).toEqual([1, 3])
  })

  it('rests between statements, and not once it is drained', async () => {
    const { commit, statements, clock, running } = createManualStore({ delayMs: (_waiting, tookMs) => 1_000 - tookMs })
    void commit.add(one(1))
    clock.advance(400)
    running.get('a')?.end('answers')
    await yieldToEventLoop()
    void commit.add(one(2))
    void commit.add(one(3))
    clock.advance(599)
    await yieldToEventLoop()
    expect(running.size).toBe(0)
    clock.advance(1)
    await yieldToEventLoop()
    running.get('a')?.end('answers')
    await yieldToEventLoop()
    void commit.add(one(4))
    const drained = commit.drain()
    await yieldToEventLoop()
    running.get('a')?.end('answers')
    await drained
    expect(statements.map(({ items }) => items.map(({ id }) => id))).toEqual([[1], [2, 3], [4]])
  })

  it('does not wait for kept items when it is drained, and tries them no more when it is stopped', async () => {
    const { commit, statements, running, clock } = createManualStore()
    void commit.add(one(1))
    running.get('a')?.end('kept')
    await yieldToEventLoop()
    await commit.drain()
    clock.advance(KEEP_MS)
    await yieldToEventLoop()
    running.get('a')?.end('kept')
    await yieldToEventLoop()
    await commit.stop()
    expect(statements).toHaveLength(2)
    expect(commit.size()).toBe(1)
  })

  it('looks for the lane of a kept item again', async () => {
    const lanes = [() => Promise.reject('kept'), () => Promise.reject('kept'), () => Promise.resolve('b'), () => 'b']
    const { commit, end, running } = createManualStore({ laneOf: () => (lanes.shift() as () => string)() })
    const added = commit.add(one(1))
    await end('answers')
    await end('answers')
    expect(running.has('b')).toBe(true)
    await end('answers')
    expect(await added).toBe(1)
    lanes.splice(0, 1, () => Promise.reject('fault') as never)
    await expect(commit.add(one(2))).rejects.toBe('fault')
    expect(commit.size()).toBe(0)
  })
})
