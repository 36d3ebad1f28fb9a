import type { MaintenanceWindow } from '@vedette/shared'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useEditPage } from '../../components/use-edit-page.ts'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { windows as text } from '../../messages/windows.ts'
import { WindowEditor } from './editor.tsx'
import { newWindow, toWindowBody, toWindowInput, type WindowInput } from './input.ts'
const route = getRouteApi('/alerts/maintenance/$windowId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'maintenance' } } as const

export function AddWindowPage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [initial] = useState(() => newWindow(Date.now(), viewerZone()))
  const save = async (input: WindowInput, idempotencyKey: string) => {
    const { name } = await client.maintenanceWindows.create(toWindowBody(input), { idempotencyKey })
    toast(messages.done.created(name))
    await navigate(LIST)
    await cache.invalidate('maintenance-windows')
  }
  return (
    <Page title={text.addTitle}>
      {can('monitors:update') ? <WindowEditor input={initial} action={text.create} onSave={save} /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function WindowPage() {
  const { can } = useViewer()
  const { windowId } = route.useParams()
  const window = useEditedQuery('maintenance-windows', windowId, ({ maintenanceWindows }, signal) =>
    maintenanceWindows.read(windowId, { signal }),
  )
  return (
    <QueryPage title={text.title} query={window}>
      {(data) => (
        <Page title={messages.titles.edit(data.name)}>
          {can('monitors:update') ? <EditWindow window={data} /> : <p>{text.forbidden}</p>}
        </Page>
      )}
    </QueryPage>
  )
}

function EditWindow({ window }: { window: MaintenanceWindow }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { revision, editor } = useEditPage({
    resource: window,
    read: () => client.maintenanceWindows.read(window.id),
    toInput: toWindowInput,
    toBody: toWindowBody,
    patch: (changes, options) => client.maintenanceWindows.update(window.id, changes, options),
    onSaved: async () => {
      await navigate(LIST)
      await cache.invalidate('maintenance-windows')
    },
  })
  return <WindowEditor key={revision} {...editor} />
}
