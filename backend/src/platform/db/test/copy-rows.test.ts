import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { copyRows } from '../index.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

describe('rows as Postgres keeps them', () => {
  it('come whole, however many and however large', async () => {
    const rows = await copyRows(
      backend.pool,
      `select n::int4, decode(repeat(to_hex(n % 256 + 256), n), 'escape') from generate_series(1, 700) as n order by n`,
    )
    expect(rows.map(([number]) => number?.readInt32BE())).toEqual(Array.from({ length: 700 }, (_, index) => index + 1))
    for (const [index, [, bytes]] of rows.entries())
      expect(String(bytes)).toBe((((index + 1) % 256) + 256).toString(16).repeat(index + 1))
  })

  it('are none where there are none', async () => {
    expect(await copyRows(backend.pool, 'select 1 where false')).toEqual([])
  })

  it('are not there where the statement fails, and the next one is answered', async () => {
    await expect(copyRows(backend.pool, 'select 1 / (3 - n) from generate_series(1, 5) as n')).rejects.toThrow('division by zero')
    expect(await copyRows(backend.pool, 'select 7::int2')).toEqual([[Buffer.of(0, 7)]])
  })
})
