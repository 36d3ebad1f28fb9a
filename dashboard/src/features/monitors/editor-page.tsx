import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { MonitorEditor } from './editor.tsx'
import { type MonitorInput, NEW_MONITOR, toMonitorBody, toMonitorInput } from './input.ts'
import { monitorQuery } from './queries.ts'

const text = messages.monitors
const route = getRouteApi('/monitors/$monitorId/edit')

export function AddMonitorPage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const save = async (input: MonitorInput, idempotencyKey: string) => {
    const created = await client.monitors.create(toMonitorBody(input), { idempotencyKey })
    cache.set(['monitors', created.id], created)
    toast(messages.done.created(created.name))
    await navigate({ to: '/monitors/$monitorId', params: { monitorId: created.id } })
    await cache.invalidate('monitors', 'list')
  }
  return (
    <Page title={text.add}>
      {can('monitors:create') ? (
        <MonitorEditor input={NEW_MONITOR} action={text.editor.create} onSave={save} />
      ) : (
        <p>{text.editor.forbidden}</p>
      )}
    </Page>
  )
}

export function EditMonitorPage() {
  const viewer = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { monitorId } = route.useParams()
  const monitor = useQuery({ ...monitorQuery(viewer, monitorId), refetchInterval: false })
  const save = async (input: MonitorInput) => {
    cache.set(['monitors', monitorId], await viewer.client.monitors.update(monitorId, toMonitorBody(input)))
    toast(messages.done.saved)
    await navigate({ to: '/monitors/$monitorId', params: { monitorId } })
    await cache.invalidate('monitors')
  }
  return (
    <QueryPage title={text.title} query={monitor}>
      {(data) => (
        <Page title={messages.titles.edit(data.name)}>
          {viewer.can('monitors:update') ? (
            <MonitorEditor key={data.updated_at} input={toMonitorInput(data)} action={messages.actions.save} onSave={save} />
          ) : (
            <p>{text.editor.forbidden}</p>
          )}
        </Page>
      )}
    </QueryPage>
  )
}
