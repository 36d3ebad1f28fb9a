import { getRouteApi } from '@tanstack/react-router'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { viewerZone } from '../../lib/time.ts'
import { windows as text } from '../../messages/windows.ts'
import { WindowEditor } from './editor.tsx'
import { newWindow, type WindowInput, toWindowBody, toWindowInput } from './input.ts'

const route = getRouteApi('/alerts/maintenance/$windowId')

const pages: PagesOf<WindowInput> = createEditorPages({
  noun: 'maintenance-windows',
  api: ({ maintenanceWindows }) => maintenanceWindows,
  texts: { ...text, add: text.addTitle },
  Editor: WindowEditor,
  useNew: () => newWindow(Date.now(), viewerZone()),
  toInput: toWindowInput,
  toBody: toWindowBody,
  toPatchBody: toWindowBody,
  useId: () => route.useParams().windowId,
  leave: (navigate) => navigate({ to: '/alerts/{-$section}', params: { section: 'maintenance' } }),
})
export const { AddPage: AddWindowPage, EditPage: WindowPage } = pages
