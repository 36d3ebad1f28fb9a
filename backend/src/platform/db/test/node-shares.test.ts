import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { silentLog } from '../../logging/log.ts'
import { systemClock } from '../../time/clock.ts'
import { createPool, createWaitingBudget, type Pool, withBudget } from '../index.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

/** Odd organizations are on one node, even ones on another. */
const nodeOf = (organization: number) => `node ${organization % 2}`
const budgetOf = (organization: number | undefined, limitMs: number) =>
  Object.assign(createWaitingBudget(limitMs), organization !== undefined && { organization })

async function withPool(
  options: { nodeOf: (organization: number) => string },
  work: (pool: Pool) => Promise<void>,
): Promise<void> {
  const pool = createPool({ url: backend.databaseUrl, clock: systemClock, log: silentLog, max: 4, ...options })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

describe('the connections that requests of one node hold', () => {
  const connect = (pool: Pool, organization: number | undefined, limitMs = 20_000) =>
    withBudget(budgetOf(organization, limitMs), () => pool.pg.connect())

  it('are half of the pool at most: others go on, and background work does', async () => {
    await withPool({ nodeOf }, async (pool) => {
      const held = await Promise.all([connect(pool, 1), connect(pool, 3)])
      await expect(connect(pool, 5, 50)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      const others = [await connect(pool, 2), await connect(pool, undefined)]
      for (const client of others) client.release()
      // The one that gave up has left its place.
      const next = connect(pool, 1)
      held[0]?.release()
      ;(await next).release()
      held[1]?.release()
    })
  })

  it('are given back by a connection that broke and by one that could not be made', async () => {
    await withPool({ nodeOf }, async (pool) => {
      for (let turn = 0; turn < 3; turn += 1) (await connect(pool, 1)).release(true)
      const statement = () => withBudget(budgetOf(1, 20_000), () => pool.pg.query('select 1 / 0'))
      for (let turn = 0; turn < 3; turn += 1) await expect(statement()).rejects.toThrow('division by zero')
      ;(await connect(pool, 1)).release()
    })
    const away = createPool({ url: 'postgres://127.0.0.1:1/none', clock: systemClock, log: silentLog, max: 4, nodeOf })
    for (let turn = 0; turn < 3; turn += 1) await expect(connect(away, 1)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await away.end()
  })

  it('may be all of it where there is one node', async () => {
    await withPool({ nodeOf: () => '' }, async (pool) => {
      const held = await Promise.all([1, 1, 1, 1].map((organization) => connect(pool, organization)))
      expect(held).toHaveLength(4)
      for (const client of held) client.release()
    })
  })
})
