import type { MonitorDetails } from '@vedette/shared'
import { checkKindSpec, MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { useEditedQuery, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import type { Draft } from './draft.ts'
import { MonitorEditor } from './editor.tsx'
import { Gallery } from './gallery.tsx'
import { type MonitorInput, NEW_MONITOR, toMonitorBody, toMonitorInput, toPatchBody } from './input.ts'
import { kindOf } from './kind.ts'
import { toInput } from './new-input.ts'

const text = messages.monitors
const addRoute = getRouteApi('/monitors/add')
const route = getRouteApi('/monitors/$monitorId/edit')

const pages: PagesOf<MonitorInput> = createEditorPages({
  noun: 'monitors',
  hasListKey: true,
  isCached: true,
  api: ({ monitors }) => monitors,
  texts: { ...text, create: monitorEditor.editor.create, forbidden: monitorEditor.editor.forbidden },
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

/** A new monitor: what it begins with is chosen first. Or a copy of the one that the address names. */
export function AddMonitorPage() {
  const { can } = useViewer()
  const { from } = addRoute.useSearch()
  const { kind } = useParams({ strict: false })
  const navigate = useNavigate()
  // Not in the address, since it may have secrets: after a reload the kind alone is known.
  const [draft, setDraft] = useState<Draft>()
  if (!can('monitors:create')) return <AddPage />
  if (from !== undefined) return <CopiedMonitor id={from} />
  if (kind === undefined || !checkKindSpec(kind))
    return (
      <Page title={text.add}>
        <Gallery
          onChoose={(chosen) => {
            setDraft(chosen)
            void navigate({ to: '/monitors/add/$kind', params: { kind: chosen.type } })
          }}
        />
      </Page>
    )
  return <NewPage key={kind} input={toInput(draft?.type === kind ? draft : { type: kind })} />
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
