import { DatabaseSync } from 'node:sqlite'
import { SourceFault } from '../../files.ts'
import { type Dump, type DumpRow, leftOutOf, MAX_CELL_LENGTH, MAX_DUMP_ROWS, missingOf, TABLES } from './tables.ts'

export const SQLITE_MAGIC = 'SQLite format 3\0'

/** The tables of a SQLite database, which is opened to be read alone. Throws SourceFault. */
export function readSqlite(path: string): Dump {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, allowExtension: false, defensive: true })
    // What a foreign file has in its schema is not run.
    database.exec('pragma trusted_schema = off; pragma query_only = on; pragma cell_size_check = on')
    return readTables(database, path)
  } catch (error) {
    if (error instanceof SourceFault) throw error
    throw new SourceFault(`${path}: cannot be read as a SQLite database: ${(error as Error).message}`, { cause: error })
  } finally {
    database?.close()
  }
}

function readTables(database: DatabaseSync, path: string): Dump {
  const names = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const found = new Map(
    names.flatMap(({ name }) =>
      typeof name === 'string' && TABLES[name]
        ? [
            [
              name,
              database
                .prepare('select name from pragma_table_info(?)')
                .all(name)
                .map((column) => String(column['name'])),
            ] as const,
          ]
        : [],
    ),
  )
  const missing = missingOf(found)
  if (missing.length > 0)
    throw new SourceFault(
      `${path}: is no database of Grafana OnCall that can be read: it has no ${missing.slice(0, 5).join(', ')}`,
    )
  const rows = new Map(
    [...found.keys()].map((table) => {
      const columns = (TABLES[table] as readonly string[]).map((column) => `"${column}"`).join(', ')
      const all = database.prepare(`select ${columns} from "${table}" limit ${MAX_DUMP_ROWS + 1}`).all()
      if (all.length > MAX_DUMP_ROWS) throw new SourceFault(`${path}: ${table} has more than ${MAX_DUMP_ROWS} rows`)
      return [table, all.map(rowOf)] as const
    }),
  )
  return { rows, leftOut: leftOutOf(found) }
}

const rowOf = (row: Record<string, unknown>): DumpRow =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_CELL_LENGTH) ? value : null,
    ]),
  )
