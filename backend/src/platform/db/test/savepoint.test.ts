import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type Db, inTransaction } from '../index.ts'

describe('a transaction', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  const put = (db: Db, name: string) =>
    db
      .insertInto('setting')
      .values({ name, value: '1', updated_at: new Date(0) })
      .execute()
  const names = async (prefix: string) => {
    const rows = await backend.pool.db.selectFrom('setting').select('name').where('name', 'like', `${prefix}%`).execute()
    return rows.map(({ name }) => name).sort()
  }

  it('inside another one joins it', async () => {
    const { db } = backend.pool
    await inTransaction(db, async (outer) => {
      await put(outer, 'joins 1')
      await inTransaction(outer, (inner) => put(inner, 'joins 2'))
      expect(await names('joins')).toEqual([])
    })
    expect(await names('joins')).toEqual(['joins 1', 'joins 2'])
    const failing = inTransaction(db, async (outer) => {
      await inTransaction(outer, (inner) => put(inner, 'joins 3'))
      throw new Error('after all')
    })
    await expect(failing).rejects.toThrow('after all')
    expect(await names('joins')).toEqual(['joins 1', 'joins 2'])
  })

  it('inside another one is undone alone, also after an error of the database', async () => {
    await inTransaction(backend.pool.db, async (outer) => {
      await put(outer, 'undone 1')
      const inner = inTransaction(outer, async (inner) => {
        await put(inner, 'undone 2')
        await put(inner, 'undone 1')
      })
      await expect(inner).rejects.toMatchObject({ code: '23505' })
      await inTransaction(outer, (inner) => put(inner, 'undone 3'))
    })
    expect(await names('undone')).toEqual(['undone 1', 'undone 3'])
  })

  it.each(['08006', '57P01'])('inside another one is undone alone when the server reports a lost node (%s)', async (code) => {
    const lost = `do $$ begin raise exception 'connection to the remote node failed' using errcode = '${code}'; end $$`
    await inTransaction(backend.pool.db, async (outer) => {
      const inner = inTransaction(outer, async (inner) => {
        await put(inner, `node ${code} 1`)
        await sql.raw(lost).execute(inner)
      })
      await expect(inner).rejects.toMatchObject({ code })
      await put(outer, `node ${code} 2`)
    })
    expect(await names(`node ${code}`)).toEqual([`node ${code} 2`])
  })

  it('whose connection breaks between two statements is done once more, and the process lives on', async () => {
    const { pg, db } = backend.pool
    let tries = 0
    await inTransaction(db, async (transaction) => {
      tries += 1
      await put(transaction, `broken ${tries}`)
      if (tries > 1) return
      const { rows } = await pg.query<{ pid: number }>(
        "select pid from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      )
      for (const { pid } of rows) await pg.query('select pg_terminate_backend($1)', [pid])
      await put(transaction, 'broken by now')
    })
    expect(await names('broken')).toEqual(['broken 2'])
  })
})
