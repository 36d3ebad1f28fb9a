import type { MaintenanceWindow } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { buttonClass, IconButton } from '../../../components/button.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { StatusBadge } from '../../../components/status.tsx'
import { useNow } from '../../../components/time.tsx'
import { toast } from '../../../components/toast.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { sentenceOf } from '../../../lib/errors.ts'
import { exact } from '../../../lib/time.ts'
import { text } from '../../../messages/index.ts'
import { ListPanel, useListPage } from '../list-panel.tsx'
import { windowsQuery } from '../queries.ts'
import { targetWords } from '../target.ts'
import { TargetName } from '../target-fields.tsx'
import { bodyOfWindow } from './draft.ts'
import { stateOf, timesWords, turnWords } from './words.ts'

const words = text.alerts.windows

export function WindowList() {
  const { client, can } = useViewer()
  const windows = useQuery(windowsQuery(useScope(), client, useListPage()))
  const add = can('monitors:update') && (
    <Link to="/alerts/maintenance/add" className={buttonClass('primary', true)}>
      <Plus size={15} aria-hidden="true" />
      {words.add}
    </Link>
  )
  return (
    <ListPanel
      title={words.title}
      lead={words.lead}
      none={words.none}
      add={add}
      list={windows}
      rowsOf={({ maintenance_windows }) => maintenance_windows}
      row={(window) => <WindowRow key={window.id} window={window} />}
    />
  )
}

function WindowRow({ window }: { window: MaintenanceWindow }) {
  const { can } = useViewer()
  const now = useNow()
  const { id, name, target, starts_at, ends_at } = window
  const turn = turnWords(window, now)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="w-26">
        <StatusBadge status={stateOf(window)} />
      </span>
      <div className="min-w-0 flex-1 basis-32">
        {can('monitors:update') ? (
          <Link
            to="/alerts/maintenance/$windowId"
            params={{ windowId: id }}
            className="block truncate font-medium hover:text-accent hover:underline"
          >
            {name}
          </Link>
        ) : (
          <span className="block truncate font-medium">{name}</span>
        )}
        <p className="text-[0.92rem] text-muted [overflow-wrap:anywhere]">
          <span title={`${exact(Date.parse(starts_at))} – ${exact(Date.parse(ends_at))}`}>{timesWords(window)}</span> ·{' '}
          {turn !== undefined && `${turn} · `}
          {target.id === null ? targetWords(target) : <TargetName type={target.type} id={target.id} />}
        </p>
      </div>
      {can('monitors:update') && <DeleteWindow window={window} />}
    </li>
  )
}

/** It can be taken back: the same is made anew. */
function DeleteWindow({ window }: { window: MaintenanceWindow }) {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const { id, name } = window
  const refresh = () => queries.invalidateQueries({ queryKey: [scope, 'maintenance-windows'] })
  const restore = async () => {
    try {
      await client.maintenanceWindows.create(bodyOfWindow(window))
      toast(words.restored(name))
      await refresh()
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
  }
  const remove = async () => {
    await client.maintenanceWindows.remove(id)
    toast(words.deleted(name), 'good', { label: text.actions.undo, run: () => void restore() })
    queries.removeQueries({ queryKey: [scope, 'maintenance-windows', id] })
    await refresh()
  }
  return (
    <>
      <IconButton label={`${text.actions.delete}: ${name}`} onClick={() => setOpen(true)} className="hover:text-bad">
        <Trash2 size={16} />
      </IconButton>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={words.deleteTitle(name)}
        description={words.deleteLead}
        action={text.actions.delete}
        onConfirm={remove}
      />
    </>
  )
}
