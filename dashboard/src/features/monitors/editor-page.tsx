import type { MonitorDetails } from '@vedette/shared'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { getRouteApi } from '@tanstack/react-router'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { useEditedQuery, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { MonitorEditor } from './editor.tsx'
import { type MonitorInput, NEW_MONITOR, toMonitorBody, toMonitorInput, toPatchBody } from './input.ts'
import { kindOf } from './kind.ts'

const text = messages.monitors
const addRoute = getRouteApi('/monitors/add')
const route = getRouteApi('/monitors/$monitorId/edit')

const pages: PagesOf<MonitorInput> = createEditorPages({
  noun: 'monitors',
  hasListKey: true,
  isCached: true,
  api: ({ monitors }) => monitors,
  texts: { ...text, create: text.editor.create, forbidden: text.editor.forbidden },
  permissionToAdd: 'monitors:create',
  Editor: MonitorEditor,
  useNew: () => NEW_MONITOR,
  toInput: toMonitorInput,
  toBody: toMonitorBody,
  toPatchBody,
  useId: () => route.useParams().monitorId,
  leave: (navigate, monitorId) => navigate({ to: '/monitors/$monitorId', params: { monitorId } }),
})
const { AddPage, NewPage, EditPage } = pages
export const EditMonitorPage = EditPage

/** A new monitor, or a copy of the one that the address names. */
export function AddMonitorPage() {
  const { can } = useViewer()
  const { from } = addRoute.useSearch()
  return from === undefined || !can('monitors:create') ? <AddPage /> : <CopiedMonitor id={from} />
}

function CopiedMonitor({ id }: { id: string }) {
  const monitor = useEditedQuery('monitors', id, ({ monitors }, signal) => monitors.read(id, { signal }))
  return (
    <QueryPage title={text.add} query={monitor}>
      {(data) => <NewPage input={{ ...copyOf(data), name: text.copyName(data.name).slice(0, MAX_NAME_LENGTH) }} />}
    </QueryPage>
  )
}

const copyOf = (monitor: MonitorDetails): MonitorInput => ({ ...toMonitorInput(monitor), ...kindOf(monitor.type).copied })
