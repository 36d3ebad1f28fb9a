import { type Permission, useViewer } from '../lib/api.ts'
import { deleted as text } from '../messages/deleted.ts'
import { DeletedRow } from './deleted-row.tsx'
import { EmptyState, ErrorPanel, Panel, SkeletonRows } from './page.tsx'
import { type Restorable, useDeleted, useRestore } from './use-restore.ts'

export interface DeletedListProps {
  of: Restorable
  /** Who may restore them. */
  may: Permission
}

/** The last deleted ones of a kind. */
export default function DeletedList({ of, may }: DeletedListProps) {
  const { can } = useViewer()
  const restore = useRestore(of)
  const list = useDeleted(of)
  return (
    <Panel title={text.title} flush>
      <p className="px-4 pb-3 text-muted">{text.lead}</p>
      {list.isPending && <SkeletonRows rows={2} />}
      {list.isError && !list.data && <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.deleted.length === 0 && <EmptyState title={text.empty} />}
      <ul className="divide-y divide-line">
        {list.data?.deleted.map(({ id, name, removed_at: removedAt }) => (
          <DeletedRow key={id} name={name} removedAt={removedAt} onRestore={can(may) ? () => restore(id, name) : undefined} />
        ))}
      </ul>
    </Panel>
  )
}
