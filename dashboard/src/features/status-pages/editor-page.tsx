import { getRouteApi } from '@tanstack/react-router'
import { QueryPage } from '../../components/query-page.tsx'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { useEditedQuery, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { language } from '../../messages/language.ts'
import { statusPages as text } from '../../messages/status-pages.ts'
import { PageEditor } from './editor.tsx'
import { newPage, type PageInput, toPageBody, toPageInput } from './input.ts'

/** Of a page of the API. */
const MOST = 100

/** The addresses of all pages, read at each opening: a page that was made since took one. */
const useTaken = () =>
  useEditedQuery('status-pages', 'addresses', async ({ statusPages }, signal) => {
    const slugs: string[] = []
    for await (const { slug } of statusPages.all({ limit: MOST }, { signal })) slugs.push(slug)
    return slugs
  })

const route = getRouteApi('/status-pages/$pageId/edit')

const pages: PagesOf<PageInput> = createEditorPages({
  noun: 'status-pages',
  hasListKey: true,
  api: ({ statusPages }) => statusPages,
  texts: { ...text, create: text.add },
  Editor: PageEditor,
  useNew: () => {
    const title = text.defaultTitle(useViewer().organization?.name ?? '')
    const { data: taken = [] } = useTaken()
    return newPage(language, viewerZone(), title, text.sections.first, taken)
  },
  toInput: toPageInput,
  toBody: toPageBody,
  toPatchBody: toPageBody,
  useId: () => route.useParams().pageId,
  leave: (navigate, pageId) => navigate({ to: '/status-pages/$pageId', params: { pageId } }),
})
const { AddPage, EditPage } = pages
export const EditStatusPage = EditPage

export function AddStatusPage() {
  return (
    <QueryPage title={text.add} query={useTaken()}>
      {() => <AddPage />}
    </QueryPage>
  )
}
