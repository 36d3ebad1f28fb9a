import type { Schedule } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Pencil } from '../../components/icons.tsx'
import { ManagedNote } from '../../components/managed.tsx'
import { Fact, Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { escalation } from '../../messages/escalation.ts'
import { Calendar } from './calendar.tsx'
import { OnDutyText, PersonOnDuty } from '../../components/on-duty.tsx'
import { FollowedCalendar } from './followed-calendar.tsx'
import { Overrides } from './overrides.tsx'
import { onDutyQuery } from '../../lib/schedule-queries.ts'
import { scheduleQuery } from './queries.ts'
import { Shifts } from './shifts.tsx'
import { shiftTime } from '../../lib/shift-time.ts'

const text = escalation.schedules
const route = getRouteApi('/alerts/on-call/$scheduleId')

export function SchedulePage() {
  const { scheduleId } = route.useParams()
  const { can } = useViewer()
  return (
    <QueryPage title={text.title} query={useQuery(scheduleQuery(useViewer(), scheduleId))}>
      {(schedule) => (
        <Page
          title={schedule.name}
          lead={text.timesIn(schedule.time_zone)}
          aside={can('monitors:update') && <Actions schedule={schedule} />}
        >
          <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
            <Shifts schedule={schedule} />
            <div className="grid gap-4 max-xl:order-first">
              <ManagedNote managed={schedule.managed} />
              <OnDuty schedule={schedule} />
              <FollowedCalendar schedule={schedule} />
              <Overrides schedule={schedule} />
              {can('monitors:update') && <Calendar schedule={schedule} />}
            </div>
          </div>
        </Page>
      )}
    </QueryPage>
  )
}

function OnDuty({ schedule: { id, time_zone: zone } }: { schedule: Schedule }) {
  const { data } = useQuery(onDutyQuery(useViewer(), id))
  return (
    <Panel title={escalation.duty.title}>
      <dl>
        <Fact name={escalation.duty.now}>{data ? <OnDutyText current={data.current} zone={zone} /> : '–'}</Fact>
        <Fact name={escalation.duty.next}>
          {data?.next[0]
            ? data.next.map((shift) => (
                <div key={shift.user_id}>
                  <PersonOnDuty shift={shift} />, {shiftTime(shift.from, zone)}
                </div>
              ))
            : '–'}
        </Fact>
      </dl>
      {data?.current.length === 0 && <p className="mt-2 text-[0.92rem] text-muted">{escalation.duty.owners}</p>}
    </Panel>
  )
}

function Actions({ schedule: { id, name } }: { schedule: Schedule }) {
  const { client } = useViewer()
  const cache = useCache()
  const restore = useRestore('schedules')
  const navigate = useNavigate()
  const remove = async () => {
    await client.schedules.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    await navigate({ to: '/alerts/{-$section}', params: { section: 'on-call' } })
    cache.remove('schedules', id)
    await cache.invalidate('schedules', 'list')
    await cache.invalidate('escalation-policies')
  }
  return (
    <>
      <Link to="/alerts/on-call/$scheduleId/edit" params={{ scheduleId: id }} className={buttonClass()}>
        <Pencil size={15} aria-hidden="true" />
        {messages.actions.edit}
      </Link>
      <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />
    </>
  )
}
