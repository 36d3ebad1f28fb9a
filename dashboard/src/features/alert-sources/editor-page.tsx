import type { AlertSource } from '@vedette/shared'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useUndo } from '../../components/use-undo.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { alertSources as text } from '../../messages/alert-sources.ts'
import { messages } from '../../messages/index.ts'
import { AddressDialog, RotateAddress } from './address.tsx'
import { SourceEditor } from './editor.tsx'
import { NEW_SOURCE, type SourceInput, toCreateBody, toPatchBody, toSourceInput } from './input.ts'
import { Samples } from './samples.tsx'

const route = getRouteApi('/alerts/sources/$sourceId')
const LIST = { to: '/alerts/{-$section}', params: { section: 'sources' } } as const

export function AddSourcePage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const undo = useUndo()
  /** Shown with its token before its page opens. */
  const [created, setCreated] = useState<AlertSource>()
  const save = async (input: SourceInput, idempotencyKey: string) => {
    const source = await client.alertSources.create(toCreateBody(input), { idempotencyKey })
    toast(messages.done.created(source.name), undo(source.id))
    await cache.invalidate('alert-sources')
    setCreated(source)
  }
  if (!can('integrations:manage')) return <Page title={text.addTitle}>{text.forbidden}</Page>
  const open = (sourceId: string) => void navigate({ to: '/alerts/sources/$sourceId', params: { sourceId } })
  return (
    <Page title={text.addTitle}>
      <SourceEditor input={NEW_SOURCE} isNew action={text.create} onSave={save} />
      {created !== undefined && <AddressDialog source={created} onClose={() => open(created.id)} />}
    </Page>
  )
}

/** Opens and resolves an incident, as an alert of the sender would. */
function TestSource({ id }: { id: string }) {
  const { client } = useViewer()
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const test = () => {
    setBusy(true)
    client.alertSources
      .test(id)
      .then(({ incident_id: incidentId }) => {
        toast(text.tested)
        return navigate({ to: '/incidents/$incidentId', params: { incidentId } })
      }, toastError)
      .finally(() => setBusy(false))
  }
  return (
    <Button small onClick={test} disabled={isBusy}>
      {isBusy ? text.testing : text.test}
    </Button>
  )
}

/** A topic of SNS sends after somebody has confirmed it here. */
function ConfirmTopic({ source: { id, confirm } }: { source: AlertSource }) {
  const { client } = useViewer()
  const cache = useCache()
  const [isBusy, setBusy] = useState(false)
  if (confirm === null) return null
  const send = () => {
    setBusy(true)
    client.alertSources
      .confirm(id)
      .then(() => {
        toast(text.confirmed)
        return cache.invalidate('alert-sources')
      }, toastError)
      .finally(() => setBusy(false))
  }
  return (
    <Panel>
      <p className="mb-3 [overflow-wrap:anywhere]">{text.confirmLead(confirm.topic, confirm.url_host)}</p>
      <Button variant="primary" onClick={send} disabled={isBusy}>
        {text.confirm}
      </Button>
    </Panel>
  )
}

const pages: PagesOf<SourceInput> = createEditorPages({
  noun: 'alert-sources',
  api: ({ alertSources }) => alertSources,
  permission: 'integrations:manage',
  texts: { ...text, add: text.addTitle },
  Editor: SourceEditor,
  useNew: () => NEW_SOURCE,
  toInput: toSourceInput,
  toBody: toCreateBody,
  toPatchBody,
  useId: () => route.useParams().sourceId,
  leave: (navigate) => navigate(LIST),
  heading: ({ id }) => ({
    aside: (
      <>
        <TestSource id={id} />
        <RotateAddress id={id} />
      </>
    ),
  }),
  side: (source) => (
    <div className="mt-4 grid max-w-2xl gap-4">
      <ConfirmTopic source={source} />
      <Samples source={source} />
    </div>
  ),
  readOnly: ({ name }) => <Page title={name}>{text.forbidden}</Page>,
})
export const { EditPage: SourcePage } = pages
