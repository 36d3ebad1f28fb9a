import type { StatusPage } from '@vedette/shared'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useEditPage } from '../../components/use-edit-page.ts'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { language } from '../../messages/language.ts'
import { statusPages } from '../../messages/status-pages.ts'
import { PageEditor } from './editor.tsx'
import { newPage, type PageInput, toPageBody, toPageInput } from './input.ts'

const text = statusPages
const route = getRouteApi('/status-pages/$pageId/edit')

export function AddStatusPage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [initial] = useState(() => newPage(language, viewerZone()))
  const save = async (input: PageInput, idempotencyKey: string) => {
    const { id, name } = await client.statusPages.create(toPageBody(input), { idempotencyKey })
    toast(messages.done.created(name))
    await navigate({ to: '/status-pages/$pageId', params: { pageId: id } })
    await cache.invalidate('status-pages', 'list')
  }
  return (
    <Page title={text.add}>
      {can('monitors:update') ? <PageEditor input={initial} action={text.add} onSave={save} isNew /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function EditStatusPage() {
  const { can } = useViewer()
  const { pageId } = route.useParams()
  const page = useEditedQuery('status-pages', pageId, ({ statusPages: api }, signal) => api.read(pageId, { signal }))
  return (
    <QueryPage title={text.title} query={page}>
      {(data) => (
        <Page title={messages.titles.edit(data.name)}>
          {can('monitors:update') ? <EditPage page={data} /> : <p>{text.forbidden}</p>}
        </Page>
      )}
    </QueryPage>
  )
}

function EditPage({ page }: { page: StatusPage }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { revision, editor } = useEditPage({
    resource: page,
    read: () => client.statusPages.read(page.id),
    toInput: toPageInput,
    toBody: toPageBody,
    patch: (changes, options) => client.statusPages.update(page.id, changes, options),
    onSaved: async () => {
      await navigate({ to: '/status-pages/$pageId', params: { pageId: page.id } })
      await cache.invalidate('status-pages')
    },
  })
  return <PageEditor key={revision} {...editor} />
}
