import type { Schedule, ScheduleOverride } from '@vedette/shared'
import { HOUR_MS, MAX_SCHEDULE_OVERRIDES } from '@vedette/shared/tables'
import { etagOf } from '@vedette/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { personOf, personText } from '../../lib/person.ts'
import { instantAt, instantText, localTimeAt } from '../../lib/time-zone.ts'
import { useForm } from '../../lib/use-form.ts'
import { escalation } from '../../messages/escalation.ts'
import { peopleQuery } from './queries.ts'
import { shiftTime } from '../../lib/shift-time.ts'

const text = escalation.overrides

/** Of a schedule as it is now, without those that have ended. */
const lasting = ({ overrides }: Schedule): ScheduleOverride[] =>
  overrides.filter(({ ends_at: end }) => Date.parse(end) > Date.now())

/** Replaces the overrides of a schedule, unless somebody else changes it at the same time. */
function useChange(id: string) {
  const { client } = useViewer()
  const cache = useCache()
  return async (change: (overrides: ScheduleOverride[]) => ScheduleOverride[]) => {
    const latest = await client.schedules.read(id)
    await client.schedules.update(id, { overrides: change(lasting(latest)) }, { ifMatch: etagOf(latest) })
    await cache.invalidate('schedules')
  }
}

/** Those who are on duty in place of others, now and later. */
export function Overrides({ schedule }: { schedule: Schedule }) {
  const viewer = useViewer()
  const mayChange = viewer.can('monitors:update')
  const [isAdding, setAdding] = useState(false)
  const change = useChange(schedule.id)
  const { data: members = [] } = useQuery({ ...peopleQuery(viewer), enabled: viewer.can('org:read') })
  const rows = lasting(schedule).toSorted((one, other) => Date.parse(one.starts_at) - Date.parse(other.starts_at))
  const nameOf = (userId: string) => personOf(members, userId) ?? escalation.people.left
  const at = (timestamp: string) => shiftTime(timestamp, schedule.time_zone)
  const isSame = (one: ScheduleOverride, other: ScheduleOverride) => JSON.stringify(one) === JSON.stringify(other)
  const remove = async (row: ScheduleOverride) => {
    await change((overrides) => overrides.filter((one) => !isSame(one, row)))
    toast(text.removed)
  }
  return (
    <Panel
      title={text.title}
      flush
      aside={
        mayChange &&
        rows.length < MAX_SCHEDULE_OVERRIDES && (
          <Button small onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        )
      }
    >
      {rows.length === 0 && <p className="px-4 pb-3 text-muted">{text.empty}</p>}
      <ul className="divide-y divide-line border-line border-t empty:border-0">
        {rows.map((row) => (
          <li key={JSON.stringify(row)} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
            <p className="min-w-0 flex-1 basis-52">
              <span className="font-medium">{nameOf(row.user_id)}</span>{' '}
              <span className="text-muted">
                {at(row.starts_at)} – {at(row.ends_at)}
              </span>
            </p>
            {mayChange && (
              <Button
                small
                aria-label={text.removeOf(nameOf(row.user_id), at(row.starts_at))}
                onClick={() => void remove(row).catch(toastError)}
              >
                {text.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isAdding && <AddOverride schedule={schedule} onClose={() => setAdding(false)} />}
    </Panel>
  )
}

function AddOverride({ schedule: { id, time_zone: zone }, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { data: members = [] } = useQuery(peopleQuery(useViewer()))
  const change = useChange(id)
  const nextHour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  const initial = { person: '', starts: localTimeAt(nextHour, zone), ends: localTimeAt(nextHour + 8 * HOUR_MS, zone) }
  const toBody = ({ person, starts, ends }: typeof initial): ScheduleOverride => ({
    user_id: person,
    starts_at: instantText(starts, zone),
    ends_at: instantText(ends, zone),
  })
  const form = useForm(
    initial,
    async (input) => {
      await change((overrides) => [...overrides, toBody(input)])
      toast(text.added)
      onClose()
    },
    {
      schema: ['ScheduleOverrideBody', toBody],
      missing: ({ person, starts, ends }) => [
        ...(person === '' ? ['user_id'] : []),
        ...(['starts', 'ends'] as const).flatMap((name) =>
          instantAt({ starts, ends }[name], zone) === undefined ? [{ path: `${name}_at`, message: text.noTime }] : [],
        ),
        ...((instantAt(ends, zone) ?? 0) <= (instantAt(starts, zone) ?? 0) ? [{ path: 'ends_at', message: text.endsLater }] : []),
      ],
    },
  )
  return (
    <Dialog isOpen onClose={onClose} title={text.add} description={text.lead(zone)}>
      <Form form={form} action={text.save} onCancel={onClose}>
        <SelectField label={text.person} {...form.field('person', 'user_id')}>
          <option value="">{escalation.people.choose}</option>
          {members.map((member) => (
            <option key={member.id} value={member.id}>
              {personText(member)}
            </option>
          ))}
        </SelectField>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={escalation.shifts.from} type="datetime-local" {...form.field('starts', 'starts_at')} />
          <TextField label={escalation.shifts.to} type="datetime-local" {...form.field('ends', 'ends_at')} />
        </div>
      </Form>
    </Dialog>
  )
}
