import type { Entity, EntityList } from '@vedette/shared'
import type { EntityKindName } from '@vedette/shared/tables'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { Button } from '../../../components/button.tsx'
import { ErrorPanel, Panel, SkeletonRows } from '../../../components/page.tsx'
import { Pager } from '../../../components/pager.tsx'
import { type Column, Table } from '../../../components/table.tsx'
import { kindTitle } from '../../../lib/entity-texts.ts'
import { messages } from '../../../messages/index.ts'
import { columnsOf } from './columns.tsx'

interface Props {
  kind: EntityKindName
  query: UseQueryResult<EntityList, unknown>
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  /** Rows of a page. */
  limit: number
  /** Shows all of the kind, where these are only the first. */
  onAll?: (() => void) | undefined
  empty: string
  name: (entity: Entity) => ReactNode
  /** After the name. */
  more?: readonly Column<Entity>[]
}

const NONE: readonly Entity[] = []

/** The entities of one kind, as a table by the description of the kind. */
export function KindList({ kind, query, sort, onSort, limit, onAll, empty, name, more }: Props) {
  const { data } = query
  const rows = data?.entities ?? NONE
  const columns = useMemo(() => {
    const [first, ...others] = columnsOf(kind, rows, name)
    return [...(first ? [first] : []), ...(more ?? []), ...others]
  }, [kind, rows, name, more])
  if (query.isError && !data) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  const title = (
    <>
      {kindTitle(kind)} {data && <span className="font-normal text-[0.92rem] text-muted">{data.total}</span>}
    </>
  )
  return (
    <Panel
      flush
      title={title}
      aside={
        onAll &&
        data &&
        data.total > limit && (
          <Button small onClick={onAll}>
            {messages.list.showAll(data.total)}
          </Button>
        )
      }
    >
      {!data && <SkeletonRows rows={6} />}
      {data && rows.length === 0 && <p className="border-line border-t px-4 py-3 text-muted">{empty}</p>}
      {rows.length > 0 && (
        <Table label={kindTitle(kind)} columns={columns} rows={rows} keyOf={({ id }) => id} sort={sort} onSort={onSort} asCards />
      )}
      {data && !onAll && <Pager limit={limit} total={data.total} />}
    </Panel>
  )
}
