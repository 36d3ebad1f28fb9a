import { getRouteApi } from '@tanstack/react-router'
import { createEditorPages, type PagesOf } from '../../components/editor-pages.tsx'
import { viewerZone } from '../../lib/time.ts'
import { escalation } from '../../messages/escalation.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { newSchedule, type ScheduleInput, toScheduleBody, toScheduleInput } from './schedule-input.ts'

const route = getRouteApi('/alerts/on-call/$scheduleId/edit')

const pages: PagesOf<ScheduleInput> = createEditorPages({
  noun: 'schedules',
  api: ({ schedules }) => schedules,
  texts: escalation.schedules,
  Editor: ScheduleEditor,
  useNew: () => newSchedule(Date.now(), viewerZone()),
  toInput: toScheduleInput,
  toBody: toScheduleBody,
  toPatchBody: toScheduleBody,
  useId: () => route.useParams().scheduleId,
  leave: (navigate, scheduleId) => navigate({ to: '/alerts/on-call/$scheduleId', params: { scheduleId } }),
})
export const { AddPage: AddSchedulePage, EditPage: EditSchedulePage } = pages
