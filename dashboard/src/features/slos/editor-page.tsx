import { getRouteApi } from '@tanstack/react-router'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { slos as text } from '../../messages/slos.ts'
import { SloEditor } from './editor.tsx'
import { newSlo, type SloInput, toSloBody, toSloInput } from './input.ts'

const route = getRouteApi('/slos/$sloId/edit')

const pages: PagesOf<SloInput> = createEditorPages({
  noun: 'slos',
  hasListKey: true,
  isCached: true,
  api: ({ slos }) => slos,
  texts: { ...text, title: messages.nav.slos, create: text.editor.create },
  Editor: SloEditor,
  useNew: () => newSlo(viewerZone()),
  toInput: toSloInput,
  toBody: toSloBody,
  toPatchBody: toSloBody,
  useId: () => route.useParams().sloId,
  leave: (navigate, sloId) => navigate({ to: '/slos/$sloId', params: { sloId } }),
})
export const { AddPage: AddSloPage, EditPage: EditSloPage } = pages
