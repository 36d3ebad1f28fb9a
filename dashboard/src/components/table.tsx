import type { ReactNode } from 'react'
import { ColumnHeader } from './column-header.tsx'

export interface Column<Row> {
  head: string
  cell: (row: Row) => ReactNode
  /** Aligned right. */
  isFigure?: boolean
  /** Hidden on narrow screens. */
  isExtra?: boolean
  /** Text that wraps where it is too long; other cells are cut. */
  isText?: boolean
  /** The sort name of the API, in a table with `onSort`. Figures are sorted by the highest first. */
  sort?: string | undefined
}

interface Props<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  sort?: string | undefined
  onSort?: ((sort: string | undefined) => void) | undefined
}

function ariaSort(sort: string | undefined, name: string | undefined): 'ascending' | 'descending' | undefined {
  if (name === undefined) return undefined
  if (sort === name) return 'ascending'
  return sort === `-${name}` ? 'descending' : undefined
}

/** A table that scrolls horizontally where it is too wide. */
export function Table<Row>({ label, columns, rows, keyOf, sort, onSort }: Props<Row>) {
  const side = (column: Column<Row>) => `${column.isFigure ? 'text-right' : 'text-left'} ${column.isExtra ? 'max-sm:hidden' : ''}`
  return (
    <div role="group" aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-line border-t">
        <thead>
          <tr className="text-[0.88rem] text-muted">
            {columns.map((column) => (
              <th
                key={column.head}
                scope="col"
                aria-sort={ariaSort(sort, column.sort)}
                className={`px-4 py-2 font-medium whitespace-nowrap max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4 ${side(column)}`}
              >
                {onSort && column.sort !== undefined ? (
                  <ColumnHeader
                    label={column.head}
                    name={column.sort}
                    sort={sort}
                    descendingFirst={column.isFigure === true}
                    onSort={onSort}
                  />
                ) : (
                  column.head
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-line border-t">
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td
                  key={column.head}
                  className={`max-w-80 ${column.isText ? 'break-words' : 'truncate'} px-4 py-1.5 max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4 ${side(column)}`}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
