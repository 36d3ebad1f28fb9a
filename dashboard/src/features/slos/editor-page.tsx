import type { SloDetails } from '@vedette/shared'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useEditPage } from '../../components/use-edit-page.ts'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { slos } from '../../messages/slos.ts'
import { SloEditor } from './editor.tsx'
import { newSlo, type SloInput, toSloBody, toSloInput } from './input.ts'

const text = slos

const route = getRouteApi('/slos/$sloId/edit')

export function AddSloPage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [initial] = useState(() => newSlo(viewerZone()))
  const save = async (input: SloInput, idempotencyKey: string) => {
    const slo = await client.slos.create(toSloBody(input), { idempotencyKey })
    cache.set(['slos', slo.id], slo)
    toast(messages.done.created(slo.name))
    await navigate({ to: '/slos/$sloId', params: { sloId: slo.id } })
    await cache.invalidate('slos', 'list')
  }
  return (
    <Page title={text.add}>
      {can('monitors:update') ? <SloEditor input={initial} action={text.editor.create} onSave={save} /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function EditSloPage() {
  const { can } = useViewer()
  const { sloId } = route.useParams()
  const slo = useEditedQuery('slos', sloId, (client, signal) => client.slos.read(sloId, { signal }))
  return (
    <QueryPage title={messages.nav.objectives} query={slo}>
      {(data) => (
        <Page title={messages.titles.edit(data.name)}>
          {can('monitors:update') ? <EditSlo slo={data} /> : <p>{text.forbidden}</p>}
        </Page>
      )}
    </QueryPage>
  )
}

function EditSlo({ slo }: { slo: SloDetails }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { revision, editor } = useEditPage({
    resource: slo,
    read: () => client.slos.read(slo.id),
    toInput: toSloInput,
    toBody: toSloBody,
    patch: (changes, options) => client.slos.update(slo.id, changes, options),
    onSaved: async () => {
      await navigate({ to: '/slos/$sloId', params: { sloId: slo.id } })
      await cache.invalidate('slos')
    },
  })
  return <SloEditor key={revision} {...editor} />
}
