import type { Schedule } from '@vedette/shared'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Page } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useEditPage } from '../../components/use-edit-page.ts'
import { useCache, useEditedQuery, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { escalation } from '../../messages/escalation.ts'
import { ScheduleEditor } from './schedule-editor.tsx'
import { newSchedule, type ScheduleInput, toScheduleBody, toScheduleInput } from './schedule-input.ts'

const text = escalation.schedules
const route = getRouteApi('/alerts/on-call/$scheduleId/edit')

export function AddSchedulePage() {
  const { client, can } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const [initial] = useState(() => newSchedule(Date.now(), viewerZone()))
  const save = async (input: ScheduleInput, idempotencyKey: string) => {
    const { id, name } = await client.schedules.create(toScheduleBody(input), { idempotencyKey })
    toast(messages.done.created(name))
    await navigate({ to: '/alerts/on-call/$scheduleId', params: { scheduleId: id } })
    await cache.invalidate('schedules')
  }
  return (
    <Page title={text.add}>
      {can('monitors:update') ? <ScheduleEditor input={initial} action={text.create} onSave={save} /> : <p>{text.forbidden}</p>}
    </Page>
  )
}

export function EditSchedulePage() {
  const { can } = useViewer()
  const { scheduleId } = route.useParams()
  const schedule = useEditedQuery('schedules', scheduleId, ({ schedules }, signal) => schedules.read(scheduleId, { signal }))
  return (
    <QueryPage title={text.title} query={schedule}>
      {(data) => (
        <Page title={messages.titles.edit(data.name)}>
          {can('monitors:update') ? <EditSchedule schedule={data} /> : <p>{text.forbidden}</p>}
        </Page>
      )}
    </QueryPage>
  )
}

function EditSchedule({ schedule }: { schedule: Schedule }) {
  const { client } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  const { revision, editor } = useEditPage({
    resource: schedule,
    read: () => client.schedules.read(schedule.id),
    toInput: toScheduleInput,
    toBody: toScheduleBody,
    patch: (changes, options) => client.schedules.update(schedule.id, changes, options),
    onSaved: async () => {
      await navigate({ to: '/alerts/on-call/$scheduleId', params: { scheduleId: schedule.id } })
      await cache.invalidate('schedules')
    },
  })
  return <ScheduleEditor key={revision} {...editor} />
}
