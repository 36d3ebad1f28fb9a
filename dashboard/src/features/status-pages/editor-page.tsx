import { getRouteApi } from '@tanstack/react-router'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { language } from '../../messages/language.ts'
import { statusPages as text } from '../../messages/status-pages.ts'
import { PageEditor } from './editor.tsx'
import { newPage, type PageInput, toPageBody, toPageInput } from './input.ts'

const route = getRouteApi('/status-pages/$pageId/edit')

const pages: PagesOf<PageInput> = createEditorPages({
  noun: 'status-pages',
  hasListKey: true,
  api: ({ statusPages }) => statusPages,
  texts: { ...text, create: text.add },
  Editor: PageEditor,
  useNew: () => newPage(language, viewerZone(), text.defaultTitle(useViewer().organization?.name ?? ''), text.sections.first),
  toInput: toPageInput,
  toBody: toPageBody,
  toPatchBody: toPageBody,
  useId: () => route.useParams().pageId,
  leave: (navigate, pageId) => navigate({ to: '/status-pages/$pageId', params: { pageId } }),
})
export const { AddPage: AddStatusPage, EditPage: EditStatusPage } = pages
