import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Page, SkeletonRows, Trouble } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { text } from '../../messages/index.ts'
import { bodyOf, type Draft, draftOf, EMPTY_DRAFT } from './draft.ts'
import { Editor } from './editor.tsx'
import { monitorQuery } from './queries.ts'

const words = text.monitors.editor
const route = getRouteApi('/monitors/$monitorId/edit')

export function AddMonitorPage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const save = async (draft: Draft) => {
    const made = await client.monitors.create(bodyOf(draft))
    queries.setQueryData([scope, 'monitors', made.id], made)
    toast(words.created(made.name))
    await navigate({ to: '/monitors/$monitorId', params: { monitorId: made.id } })
    await queries.invalidateQueries({ queryKey: [scope, 'monitors', 'list'] })
  }
  return (
    <Page title={words.addTitle}>
      {can('monitors:create') ? <Editor draft={EMPTY_DRAFT} action={words.create} onSave={save} /> : <p>{words.forbidden}</p>}
    </Page>
  )
}

export function EditMonitorPage() {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { monitorId } = route.useParams()
  const monitor = useQuery({ ...monitorQuery(scope, client, monitorId), refetchInterval: false })
  if (monitor.isError) {
    return (
      <Page title={text.monitors.title}>
        <Trouble error={monitor.error} onRetry={() => void monitor.refetch()} />
      </Page>
    )
  }
  if (!monitor.data) {
    return (
      <Page title={text.monitors.title}>
        <SkeletonRows />
      </Page>
    )
  }
  const save = async (draft: Draft) => {
    const changed = await client.monitors.update(monitorId, bodyOf(draft))
    queries.setQueryData([scope, 'monitors', monitorId], changed)
    toast(words.saved)
    await navigate({ to: '/monitors/$monitorId', params: { monitorId } })
    await queries.invalidateQueries({ queryKey: [scope, 'monitors'] })
  }
  return (
    <Page title={words.editTitle(monitor.data.name)}>
      {can('monitors:update') ? (
        <Editor key={monitor.data.updated_at} draft={draftOf(monitor.data)} action={words.save} onSave={save} />
      ) : (
        <p>{words.forbidden}</p>
      )}
    </Page>
  )
}
