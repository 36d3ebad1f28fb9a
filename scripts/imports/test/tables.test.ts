import { describe, expect, test } from 'vitest'
import { tablesOf, writerFaults, writesOf } from '../tables.ts'
import { FURTHER_WRITERS } from '../writers.ts'

const TABLES = new Set(['monitor', 'server', 'channel'])
const written = (code: string, path = 'backend/src/monitors/store.ts') =>
  writesOf(path, code, TABLES)
    .map(({ table, feature }) => `${feature} ${table}`)
    .sort()

describe('the tables that a source writes', () => {
  test.each([
    ["db.insertInto('monitor').values({})", ['monitors monitor']],
    ["db.updateTable('monitor').set({})", ['monitors monitor']],
    ["db.deleteFrom('monitor').where('server', '=', 1)", ['monitors monitor']],
    ["createResourceStore('monitor', COLUMNS)", ['monitors monitor']],
    ['sql`insert into monitor (id) values (${id})`', ['monitors monitor']],
    [
      'sql`with gone as (delete from monitor returning id) update server set monitor = null`',
      ['monitors monitor', 'monitors server'],
    ],
    ["const STATEMENT = 'update monitor set name = $1'", ['monitors monitor']],
    ["for (const table of ['monitor', 'server'] as const) db.deleteFrom(table)", ['monitors monitor', 'monitors server']],
    ["const ALL = ['monitor']; for (const table of ALL) sql`delete from ${sql.table(table)}`", ['monitors monitor']],
    ["db.selectFrom('monitor').where('channel', 'in', ids).forUpdate()", []],
    ['sql`select id from monitor for update`', []],
    ["const NAMES = ['monitor']; db.selectFrom(NAMES[0])", []],
    ['// delete from monitor\nexport const a = 1', []],
    ["db.insertInto('unknown_table').values({})", []],
  ])('%s', (code, expected) => expect(written(code)).toEqual(expected))

  test('are those of the feature, with or without a wing, and of platform', () => {
    const code = "db.deleteFrom('monitor')"
    expect(written(code, 'backend/src/monitoring/monitors/store.ts')).toEqual(['monitors monitor'])
    expect(written(code, 'backend/src/platform/db/lease-store.ts')).toEqual(['platform monitor'])
    expect(written(code, 'backend/src/archive/copy-store.ts')).toEqual([])
  })
})

test('the schema names the tables', () => {
  const schema = 'interface Row { id: string }\nexport interface HostTables { server: Row; server_state: Row }'
  expect(tablesOf('backend/src/platform/db/schema/hosts.ts', schema)).toEqual(['server', 'server_state'])
  expect(tablesOf('backend/src/servers/wire.ts', schema)).toEqual([])
})

describe('a table', () => {
  const writes = (...all: [string, string][]) => all.map(([feature, table]) => ({ feature, table, path: `${feature}/store.ts` }))

  test('has one feature that writes it', () => {
    const faults = writerFaults(writes(['a', 'monitor'], ['a', 'server'], ['b', 'server'], ['b', 'server']), {})
    expect(faults.map(({ table }) => table)).toEqual(['server'])
    expect(faults[0]?.message).toContain('a and b (a/store.ts, b/store.ts, b/store.ts)')
  })

  test('may have the further writers of the list, and no other', () => {
    const both = writes(['a', 'server'], ['b', 'server'])
    expect(writerFaults(both, { server: ['b'] })).toEqual([])
    expect(writerFaults([...both, ...writes(['c', 'server'])], { server: ['b'] })).toHaveLength(1)
  })

  test.each([
    ['does not write it any more', writes(['a', 'server'])],
    ['is its only writer', writes(['b', 'server'])],
    ['belongs to a table that nobody writes', []],
  ])('a line of the list that %s is refused', (_why, all) => {
    expect(writerFaults(all, { server: ['b'] }).map(({ message }) => message)).toEqual([
      'b is no further writer of server: take it off the list.',
    ])
  })
})

test('the list of further writers only gets shorter', () => {
  expect(Object.values(FURTHER_WRITERS).flat().length).toBeLessThanOrEqual(14)
})
