import { DAY_MS } from '@vedette/shared'
import type { Head, TableHead } from './format.ts'
import { rowsOf } from './scope.ts'

/** Beyond it a number does not fit into its column. */
const MAX_NUMBER = 2 ** 31 - 1

/**
 * What tables of a file are none that an export of this schema has: another table, another column, another partition; of an export
 * of one organization also a table that it leaves out. Undefined: nothing. Pure.
 */
export function foreignTableFault(
  { tables, organization }: Pick<Head, 'tables' | 'organization'>,
  known: ReadonlyMap<string, TableHead>,
): string | undefined {
  const names = new Set<string>()
  for (const table of tables) {
    const own = known.get(table.name)
    // The number decides nothing: with one the rows are those of an organization.
    if (!own || names.has(table.name) || (organization && rowsOf(own, 1) === undefined))
      return `has an unknown table ${table.name}`
    names.add(table.name)
    const fault = tableFault(table, own)
    if (fault !== undefined) return `has an unknown ${fault} of the table ${table.name}`
  }
  return undefined
}

function tableFault({ columns, identity, partitions }: TableHead, own: TableHead): string | undefined {
  const column = columns.find((name, index) => !own.columns.includes(name) || columns.indexOf(name) !== index)
  if (column !== undefined) return `column ${column}`
  const missing = own.columns.find((name) => !columns.includes(name))
  if (missing !== undefined) return `set of columns without ${missing}`
  if (identity?.column !== own.identity?.column || !isNumber(identity?.last ?? 0)) return 'identity'
  const partition = partitions.find(({ name, bound }) => !isPartition(own.name, name, bound))
  return partition && `partition ${partition.name}`
}

const isNumber = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_NUMBER

/** Each is named by the day or month that it begins with, and ends within 31 days. */
function isPartition(table: string, name: string, bound: string): boolean {
  const [, from = '', to = ''] = /^FOR VALUES FROM \('([\d :+-]+)'\) TO \('([\d :+-]+)'\)$/.exec(bound) ?? []
  const label = name.startsWith(`${table}_`) ? name.slice(table.length + 1) : ''
  const [start, end] = [instantOf(from), instantOf(to)]
  const lengthMs = end.getTime() - start.getTime()
  if (!/^\d{6,8}$/.test(label) || !(lengthMs > 0 && lengthMs <= 31 * DAY_MS)) return false
  return start.toISOString().replaceAll('-', '').startsWith(label)
}

/** Of a day, or of a timestamptz as PostgreSQL writes it in any time zone. */
const instantOf = (text: string): Date =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, text.includes(':') ? '$1:00' : '$1'))
