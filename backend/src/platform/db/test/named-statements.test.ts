import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { systemClock } from '../../time/clock.ts'
import { createPool } from '../index.ts'
import { silentLog } from '../../logging/log.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

const poolOf = (namedStatements: boolean) =>
  createPool({ url: backend.databaseUrl, clock: systemClock, log: silentLog, max: 1, namedStatements })
const PREPARED = { sql: 'select name, statement from pg_prepared_statements order by prepare_time', parameters: [] }

describe('a statement that is asked often', () => {
  it('is parsed once for each connection, whatever its parameters', async () => {
    const pool = poolOf(true)
    const twice = (value: number) =>
      pool.queryNamed<{ twice: number }>({ sql: 'select 2 * $1::int4 as twice', parameters: [value] })
    expect([await twice(1), await twice(21)]).toEqual([[{ twice: 2 }], [{ twice: 42 }]])
    const statements = await pool.queryNamed<{ statement: string }>(PREPARED)
    expect(statements.map(({ statement }) => statement)).toEqual(['select 2 * $1::int4 as twice', PREPARED.sql])
    await pool.end()
  })

  it('has no name where a pooler may stand between', async () => {
    const pool = poolOf(false)
    expect(await pool.queryNamed({ sql: 'select $1::int4 as one', parameters: [1] })).toEqual([{ one: 1 }])
    expect(await pool.queryNamed(PREPARED)).toEqual([])
    await pool.end()
  })

  it('leaves the connection to the next one when it fails', async () => {
    const pool = poolOf(true)
    await expect(pool.queryNamed({ sql: 'select 1 / $1::int4', parameters: [0] })).rejects.toThrow('division by zero')
    expect(await pool.queryNamed({ sql: 'select 1 as one', parameters: [] })).toEqual([{ one: 1 }])
    await pool.end()
  })
})
