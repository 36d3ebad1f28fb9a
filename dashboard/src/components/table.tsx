import type { ReactNode } from 'react'

export interface Column<Row> {
  head: string
  cell: (row: Row) => ReactNode
  /** Aligned right. */
  isFigure?: boolean
  /** Hidden on narrow screens. */
  isExtra?: boolean
  /** Text that wraps where it is too long; other cells are cut. */
  isText?: boolean
}

interface Props<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/** A table that scrolls horizontally where it is too wide. */
export function Table<Row>({ label, columns, rows, keyOf }: Props<Row>) {
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
                className={`px-4 py-2 font-medium whitespace-nowrap max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4 ${side(column)}`}
              >
                {column.head}
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
