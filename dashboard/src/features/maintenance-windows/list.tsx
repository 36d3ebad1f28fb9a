import type { MaintenanceWindow } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { TargetLabel } from '../../components/target-fields.tsx'
import { useNow } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { exact } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { windows as text } from '../../messages/windows.ts'
import { PAGE_LIMIT, windowsQuery } from './queries.ts'
import { nextChangeText, scheduleText, windowStatus } from './schedule-text.ts'

export function WindowList() {
  const viewer = useViewer()
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={viewer.can('monitors:update') && <AddLink small to="/alerts/maintenance/add" label={text.add} />}
        query={useQuery(windowsQuery(viewer, useListPage()))}
        rowsOf={({ maintenance_windows }) => maintenance_windows}
        row={(window) => <WindowRow key={window.id} window={window} />}
        limit={PAGE_LIMIT}
      />
      <Deleted of="maintenanceWindows" may="monitors:update" />
    </>
  )
}

function WindowRow({ window }: { window: MaintenanceWindow }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const restore = useRestore('maintenanceWindows')
  const { id, name, target, silence, starts_at, ends_at } = window
  const nextChange = nextChangeText(window, useNow())
  const remove = async () => {
    await client.maintenanceWindows.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    cache.remove('maintenance-windows', id)
    await cache.invalidate('maintenance-windows')
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-26">
        <StatusBadge status={windowStatus(window)} />
      </span>
      <div className="min-w-0 flex-1 basis-32">
        {can('monitors:update') && !silence ? (
          <Link
            to="/alerts/maintenance/$windowId"
            params={{ windowId: id }}
            className="block cut font-medium hover:text-accent hover:underline"
          >
            {name}
          </Link>
        ) : (
          <span className="block cut font-medium">{name}</span>
        )}
        <p className="text-[0.92rem] text-muted">
          <span title={`${exact(Date.parse(starts_at))} – ${exact(Date.parse(ends_at))}`}>{scheduleText(window)}</span> ·{' '}
          {nextChange !== undefined && `${nextChange} · `}
          {target.type === 'source' ? (
            text.silenced((silence?.matchers ?? []).map((one) => `${one.name}=${one.value}`).join(', '))
          ) : (
            <TargetLabel target={{ ...target, type: target.type }} />
          )}
        </p>
      </div>
      {can('monitors:update') && <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />}
    </li>
  )
}
