import type { MonitorDetails } from '@vedette/shared'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { useEdit } from '../../lib/use-edit.ts'
import { messages } from '../../messages/index.ts'
import { MonitorEditor } from './editor.tsx'
import { isHeartbeat, NEW_HEARTBEAT_URL } from './heartbeat-input.ts'
import { type MonitorInput, NEW_MONITOR, toMonitorBody, toMonitorInput, toPatchBody } from './input.ts'

const text = messages.monitors
const addRoute = getRouteApi('/monitors/add')
const route = getRouteApi('/monitors/$monitorId/edit')

/** A new monitor, or a copy of the one that the address names. */
export function AddMonitorPage() {
  const { can } = useViewer()
  const { from } = addRoute.useSearch()
  if (!can('monitors:create')) {
    return (
      <Page title={text.add}>
        <p>{text.editor.forbidden}</p>
      </Page>
    )
  }
  return from === undefined ? <NewMonitor input={NEW_MONITOR} /> : <CopiedMonitor id={from} />
}

function CopiedMonitor({ id }: { id: string }) {
  const monitor = useEditedQuery('monitors', id, ({ monitors }, signal) => monitors.read(id, { signal }))
  return (
    <QueryPage title={text.add} query={monitor}>
      {(data) => <NewMonitor input={{ ...copyOf(data), name: text.copyName(data.name).slice(0, MAX_NAME_LENGTH) }} />}
    </QueryPage>
  )
}

/** Two heartbeats have neither one name nor one token. */
const copyOf = (monitor: MonitorDetails): MonitorInput => ({
  ...toMonitorInput(monitor),
  ...(isHeartbeat(monitor.type) ? { url: NEW_HEARTBEAT_URL, credentials: {} } : {}),
})

function NewMonitor({ input }: { input: MonitorInput }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const save = async (typed: MonitorInput, idempotencyKey: string) => {
    const created = await client.monitors.create(toMonitorBody(typed), { idempotencyKey })
    cache.set(['monitors', created.id], created)
    toast(messages.done.created(created.name))
    await navigate({ to: '/monitors/$monitorId', params: { monitorId: created.id } })
    await cache.invalidate('monitors', 'list')
  }
  return (
    <Page title={text.add}>
      <MonitorEditor input={input} action={text.editor.create} onSave={save} />
    </Page>
  )
}

export function EditMonitorPage() {
  const viewer = useViewer()
  const { monitorId } = route.useParams()
  const monitor = useEditedQuery('monitors', monitorId, ({ monitors }, signal) => monitors.read(monitorId, { signal }))
  return (
    <QueryPage title={text.title} query={monitor}>
      {(data) => (
        <Page title={messages.titles.edit(data.name)}>
          {viewer.can('monitors:update') ? <EditMonitor monitor={data} /> : <p>{text.editor.forbidden}</p>}
        </Page>
      )}
    </QueryPage>
  )
}

function EditMonitor({ monitor }: { monitor: MonitorDetails }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { id } = monitor
  const edit = useEdit({
    resource: monitor,
    read: () => client.monitors.read(id),
    toInput: toMonitorInput,
    toBody: toPatchBody,
    patch: (changes, options) => client.monitors.update(id, changes, options),
  })
  const save = async (input: MonitorInput) => {
    if (!(await edit.save(input))) return
    toast(messages.done.saved)
    await navigate({ to: '/monitors/$monitorId', params: { monitorId: id } })
    await cache.invalidate('monitors')
  }
  return (
    <MonitorEditor
      key={edit.revision}
      input={edit.input}
      saved={edit.saved}
      conflict={edit.conflict}
      action={messages.actions.save}
      onSave={save}
    />
  )
}
