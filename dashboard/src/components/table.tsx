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
  /** On a phone each row is a card with all columns, instead of a table that scrolls. */
  asCards?: boolean
}

function ariaSort(sort: string | undefined, name: string | undefined): 'ascending' | 'descending' | undefined {
  if (name === undefined) return undefined
  if (sort === name) return 'ascending'
  return sort === `-${name}` ? 'descending' : undefined
}

/** A cell of a card: the name of its column and the value at its ends; the first cell is the title. */
const CARD =
  'max-sm:flex max-sm:min-w-0 max-sm:flex-wrap max-sm:items-baseline max-sm:justify-between max-sm:gap-x-2 max-sm:overflow-visible max-sm:whitespace-normal max-sm:h-auto! max-sm:p-0 max-sm:first:col-span-2 max-sm:first:font-semibold'

/** A table that scrolls horizontally where it is too wide. */
export function Table<Row>({ label, columns, rows, keyOf, sort, onSort, asCards = false }: Props<Row>) {
  const side = (column: Column<Row>) =>
    `${column.isFigure ? 'text-right' : 'text-left'} ${column.isExtra && !asCards ? 'max-sm:hidden' : ''}`
  return (
    <div role="group" aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className={`w-full border-line border-t ${asCards ? 'max-sm:block' : ''}`}>
        <thead className={asCards ? 'max-sm:hidden' : ''}>
          <tr className="text-[0.88rem] text-muted">
            {columns.map((column) => (
              <th
                key={column.head}
                scope="col"
                aria-sort={ariaSort(sort, column.sort)}
                className={`px-3 py-2 font-medium first:pl-4 last:pr-4 2xl:px-4 whitespace-nowrap max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4 ${side(column)}`}
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
        <tbody className={`divide-y divide-line border-line border-t ${asCards ? 'max-sm:block' : ''}`}>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={asCards ? 'max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3' : ''}
            >
              {columns.map((column, index) => (
                <td
                  key={column.head}
                  className={`max-w-80 ${column.isText ? 'break-words' : 'truncate'} px-3 py-1.5 sm:first:pl-4 sm:last:pr-4 2xl:px-4 ${asCards ? CARD : 'max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4'} ${side(column)}`}
                >
                  {asCards && index > 0 ? (
                    <>
                      <span className="text-[0.86rem] text-muted sm:hidden">{column.head}</span>
                      <span className="min-w-0 max-sm:ml-auto max-sm:text-right max-sm:text-[0.93rem] max-sm:[overflow-wrap:anywhere]">
                        {column.cell(row)}
                      </span>
                    </>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
