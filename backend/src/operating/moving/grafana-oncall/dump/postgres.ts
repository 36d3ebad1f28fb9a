import { SourceFault } from '../../files.ts'
import { type Dump, type DumpRow, leftOutOf, MAX_CELL_LENGTH, MAX_DUMP_ROWS, missingOf, TABLES } from './tables.ts'

const COPY = /^COPY (?:"?[\w-]{1,63}"?\.)?"?([a-z_0-9]{1,63})"? \((.{1,10000})\) FROM stdin;$/
const INSERT = /^INSERT INTO (?:"?[\w-]{1,63}"?\.)?"?([a-z_0-9]{1,63})"?[ (]/
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** The tables of a dump of PostgreSQL as text (`pg_dump` without a format), by its lines. Throws SourceFault with `path`. */
export function readPostgres(lines: Iterable<string>, path: string): Dump {
  const found = new Map<string, string[]>()
  const rows = new Map<string, DumpRow[]>()
  let copy: { table: string; columns: string[]; isRead: boolean } | undefined
  for (const line of lines) {
    if (copy === undefined) {
      copy = copyOf(line, path)
      if (copy?.isRead) {
        found.set(copy.table, copy.columns)
        rows.set(copy.table, rows.get(copy.table) ?? [])
      }
    } else if (line === '\\.') copy = undefined
    else if (copy.isRead) {
      const own = rows.get(copy.table) as DumpRow[]
      if (own.length === MAX_DUMP_ROWS) throw new SourceFault(`${path}: ${copy.table} has more than ${MAX_DUMP_ROWS} rows`)
      own.push(rowOf(line, copy.table, copy.columns, path))
    }
  }
  if (copy !== undefined) throw new SourceFault(`${path}: ends within ${copy.table}`)
  const missing = missingOf(found)
  if (missing.length > 0)
    throw new SourceFault(`${path}: is no dump of Grafana OnCall that can be read: it has no ${missing.slice(0, 5).join(', ')}`)
  return { rows, leftOut: leftOutOf(found) }
}

function copyOf(line: string, path: string) {
  const inserted = INSERT.exec(line)?.[1]
  if (inserted !== undefined && TABLES[inserted])
    throw new SourceFault(`${path}: has INSERT for ${inserted}: make the dump without --inserts, so that it has COPY`)
  const [, table = '', list = ''] = COPY.exec(line) ?? []
  return table === ''
    ? undefined
    : { table, columns: list.split(', ').map((name) => name.replaceAll('"', '')), isRead: TABLES[table] !== undefined }
}

function rowOf(line: string, table: string, columns: readonly string[], path: string): DumpRow {
  const cells = line.split('\t')
  if (cells.length !== columns.length)
    throw new SourceFault(`${path}: a row of ${table} has ${cells.length} columns, not ${columns.length}`)
  const wanted = TABLES[table] as readonly string[]
  return Object.fromEntries(
    columns.flatMap((column, index) => (wanted.includes(column) ? [[column, valueOf(cells[index] as string)] as const] : [])),
  )
}

function valueOf(cell: string): string | null {
  if (cell === '\\N' || cell.length > MAX_CELL_LENGTH) return null
  return cell.replaceAll(/\\(x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|.)/gs, (_, escaped: string) => {
    if (/^x./.test(escaped)) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    if (/^[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8))
    return ESCAPES[escaped] ?? escaped
  })
}
