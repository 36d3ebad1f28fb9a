import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { playNodes } from '../../../../test/playing-nodes.ts'
import { inTransaction, queryByOrganization } from '../index.ts'

// As on Citus, where each organization has its node; a plain server plays all of them.

const questions = [1, 2, 3, 2, 4].map((organization, number) => ({ organization, number }))
const answer = (some: typeof questions) => some.map(({ number }) => `answer ${number}`)
const expected = ['answer 0', undefined, 'answer 2', undefined, 'answer 4']

let backend: TestBackend
/** Of each session, where statements have names. */
let own: string
const limitOf = async (): Promise<string> => (await backend.pool.pg.query('show statement_timeout')).rows[0]?.statement_timeout

beforeAll(async () => {
  backend = await startTestBackend()
  own = await limitOf()
  const { assign } = await playNodes(backend, 'metric_push')
  for (const organization of [2, 5, 6, 7, 8, 9]) await assign(organization, 1)
})
afterAll(() => backend.close())

describe('a question to the nodes of several organizations', () => {
  it('is answered for the others while one node does not answer', async () => {
    const answers = await queryByOrganization(backend.pool.db, questions, async (db, some, organization) => {
      if (organization === 2) await sql`select pg_sleep(60)`.execute(db)
      return answer([...some])
    })
    expect(answers).toEqual(expected)
  })

  it('is answered for the others while one node is down', async () => {
    const answers = await queryByOrganization(backend.pool.db, questions, async (_db, some, organization) => {
      if (organization === 2) throw Object.assign(new pg.DatabaseError('connection refused', 0, 'error'), { code: '08006' })
      return answer([...some])
    })
    expect(answers).toEqual(expected)
  })

  it('is not put to further organizations of a node that is down', async () => {
    const queried: number[] = []
    const some = [1, 2, 5, 6, 7, 8, 9, 3].map((organization, number) => ({ organization, number }))
    const answers = await queryByOrganization(backend.pool.db, some, async (_db, own, organization = 0) => {
      queried.push(organization)
      if ([1, 3].includes(organization)) return answer([...own])
      throw Object.assign(new pg.DatabaseError('connection refused', 0, 'error'), { code: '08006' })
    })
    expect(answers).toEqual(['answer 0', ...Array.from({ length: 6 }), 'answer 7'])
    // Four at once are under way when the first one fails.
    expect(queried.filter((organization) => ![1, 3].includes(organization)).length).toBeLessThanOrEqual(4)
  })

  it('fails where the statement itself is wrong', async () => {
    const wrong = queryByOrganization(backend.pool.db, questions, (db) =>
      sql<string>`select nothing from nowhere`.execute(db).then(({ rows }) => rows),
    )
    await expect(wrong).rejects.toMatchObject({ code: '42P01' })
  })

  it('is answered in a transaction, which goes on when a node does not answer, without a limit', async () => {
    const timeout = await inTransaction(backend.pool.db, async (db) => {
      const answers = await queryByOrganization(db, questions, async (own, some, organization) => {
        if (organization === 2) await sql`select pg_sleep(60)`.execute(own)
        return answer([...some])
      })
      expect(answers).toEqual(expected)
      return (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db)).rows[0]?.statement_timeout
    })
    expect(timeout).toBe(own)
  })

  it('leaves no limit on the connection', async () => {
    await queryByOrganization(backend.pool.db, questions, async (_db, some) => answer([...some]))
    const limits = await Promise.all(Array.from({ length: 6 }, limitOf))
    expect(new Set(limits)).toEqual(new Set([own]))
  })
})
