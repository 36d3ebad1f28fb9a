import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page, SkeletonRows, Trouble } from '../../../components/page.tsx'
import { toast } from '../../../components/toast.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { viewerZone } from '../../../lib/time.ts'
import { text } from '../../../messages/index.ts'
import { windowQuery } from '../queries.ts'
import { newWindow, type WindowDraft, windowBodyOf, windowDraftOf } from './draft.ts'
import { WindowEditor } from './editor.tsx'

const words = text.alerts.windows
const route = getRouteApi('/alerts/maintenance/$windowId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'maintenance' } } as const

export function AddWindowPage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [draft] = useState(() => newWindow(Date.now(), viewerZone()))
  const save = async (given: WindowDraft) => {
    const { name } = await client.maintenanceWindows.create(windowBodyOf(given))
    toast(words.created(name))
    await navigate(LIST)
    await queries.invalidateQueries({ queryKey: [scope, 'maintenance-windows'] })
  }
  return (
    <Page title={words.addTitle}>
      {can('monitors:update') ? <WindowEditor draft={draft} action={words.create} onSave={save} /> : <p>{words.forbidden}</p>}
    </Page>
  )
}

export function WindowPage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { windowId } = route.useParams()
  const window = useQuery(windowQuery(scope, client, windowId))
  if (window.isError) {
    return (
      <Page title={words.title}>
        <Trouble error={window.error} onRetry={() => void window.refetch()} />
      </Page>
    )
  }
  if (!window.data) {
    return (
      <Page title={words.title}>
        <SkeletonRows />
      </Page>
    )
  }
  const { data } = window
  const save = async (draft: WindowDraft) => {
    await client.maintenanceWindows.update(windowId, windowBodyOf(draft))
    toast(words.saved)
    await navigate(LIST)
    await queries.invalidateQueries({ queryKey: [scope, 'maintenance-windows'] })
  }
  return (
    <Page title={words.editTitle(data.name)}>
      {can('monitors:update') ? (
        <WindowEditor key={data.updated_at} draft={windowDraftOf(data)} action={text.actions.save} onSave={save} />
      ) : (
        <p>{words.forbidden}</p>
      )}
    </Page>
  )
}
