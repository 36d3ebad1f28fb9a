import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { binaryArray } from '../index.ts'

describe('binary arrays', () => {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  beforeAll(() => client.connect())
  afterAll(() => client.end())

  const echo = async (type: string, value: Buffer): Promise<unknown[]> => {
    const { rows } = await client.query<{ value: unknown }>(`select unnest($1::${type}[])::text as value`, [value])
    return rows.map((row) => row.value)
  }

  it('arrive in Postgres as they were', async () => {
    const uuids = [randomUUID(), randomUUID()]
    expect(await echo('uuid', binaryArray.uuid(uuids))).toEqual(uuids)
    expect(await echo('int2', binaryArray.int2([-32_768, 0, 32_767]))).toEqual(['-32768', '0', '32767'])
    expect(await echo('int4', binaryArray.int4([-2_147_483_648, 2_147_483_647]))).toEqual(['-2147483648', '2147483647'])
    const large = [0, 1, -1, 4_294_967_295, 4_294_967_296, -4_294_967_297, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
    expect(await echo('int8', binaryArray.int8(large))).toEqual(large.map(String))
    expect(await echo('int8', binaryArray.int8Bytes(['\u00ff'.repeat(8)]))).toEqual(['-1'])
    expect(await echo('text', binaryArray.text(['', 'ä {"}, \\', '🐎']))).toEqual(['', 'ä {"}, \\', '🐎'])
    expect(await echo('text', binaryArray.text([null, 'a', null]))).toEqual([null, 'a', null])
    const instants = [new Date(0), null, new Date('1999-12-31T23:59:59.999Z'), new Date('2255-01-01T00:00:00.001Z')]
    const stored = await client.query<{ at: Date | null }>('select unnest($1::timestamptz[]) as at', [
      binaryArray.timestamptz(instants),
    ])
    expect(stored.rows.map(({ at }) => at)).toEqual(instants)
    const bytes = [Buffer.alloc(0), randomBytes(300)]
    expect(await echo('bytea', binaryArray.bytea(bytes))).toEqual(bytes.map((value) => `\\x${value.toString('hex')}`))
    expect(await echo('int4', binaryArray.int4([]))).toEqual([])
  })
})
