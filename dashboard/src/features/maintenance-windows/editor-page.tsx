import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { WindowEditor } from './editor.tsx'
import { newWindow, toWindowBody, toWindowInput, type WindowInput } from './input.ts'
import { windowQuery } from './queries.ts'

const text = messages.alerts.windows
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
  const viewer = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { windowId } = route.useParams()
  const save = async (input: WindowInput) => {
    await viewer.client.maintenanceWindows.update(windowId, toWindowBody(input))
    toast(messages.done.saved)
    await navigate(LIST)
    await cache.invalidate('maintenance-windows')
  }
  return (
    <QueryPage title={text.title} query={useQuery(windowQuery(viewer, windowId))}>
      {(window) => (
        <Page title={messages.titles.edit(window.name)}>
          {viewer.can('monitors:update') ? (
            <WindowEditor key={window.updated_at} input={toWindowInput(window)} action={messages.actions.save} onSave={save} />
          ) : (
            <p>{text.forbidden}</p>
          )}
        </Page>
      )}
    </QueryPage>
  )
}
