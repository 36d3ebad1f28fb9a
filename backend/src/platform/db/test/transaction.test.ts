import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestBackend } from '../../../../test/harness.ts'
import { type Db, inTransaction } from '../index.ts'

it('two transactions that lock each other out are both done in the end', async () => {
  const backend = await startTestBackend()
  const { db } = backend.pool
  await sql`create table pair (id int primary key, times int not null)`.execute(db)
  await sql`insert into pair values (1, 0), (2, 0)`.execute(db)
  const count = (transaction: Db, id: number) => sql`update pair set times = times + 1 where id = ${id}`.execute(transaction)

  const met = Promise.withResolvers<void>()
  let here = 0
  let turns = 0
  const cross = (order: [number, number]) => {
    let turn = 0
    return inTransaction(db, async (transaction) => {
      turns += 1
      turn += 1
      // The first turn crosses the other one for certain; the next begins with what that one has.
      const [first, second] = turn === 1 ? order : order.toReversed()
      await count(transaction, first as number)
      if (turn === 1 && (here += 1) === 2) met.resolve()
      await met.promise
      await count(transaction, second as number)
    })
  }
  await Promise.all([cross([1, 2]), cross([2, 1])])

  expect(turns).toBeGreaterThan(2)
  const { rows } = await sql`select id, times from pair order by id`.execute(db)
  expect(rows).toEqual([
    { id: 1, times: 2 },
    { id: 2, times: 2 },
  ])
  await backend.close()
})
