import type { Schedule } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { useListPage } from '../../components/pager.tsx'
import { useViewer } from '../../lib/api.ts'
import { escalation } from '../../messages/escalation.ts'
import { OnDutyText } from '../../components/on-duty.tsx'
import { onDutyQuery, SCHEDULE_PAGE_LIMIT, schedulesQuery } from '../../lib/schedule-queries.ts'

const text = escalation.schedules

export function ScheduleList() {
  const viewer = useViewer()
  return (
    <>
      <ListPanel
        title={text.title}
        lead={text.lead}
        empty={text.empty}
        add={viewer.can('monitors:update') && <AddLink small to="/alerts/on-call/add" label={text.add} />}
        query={useQuery(schedulesQuery(viewer, useListPage()))}
        rowsOf={({ schedules }) => schedules}
        row={(schedule) => <ScheduleRow key={schedule.id} schedule={schedule} />}
        limit={SCHEDULE_PAGE_LIMIT}
      />
      <Deleted of="schedules" may="monitors:update" />
    </>
  )
}

function ScheduleRow({ schedule: { id, name, time_zone: zone } }: { schedule: Schedule }) {
  const { data, isError } = useQuery(onDutyQuery(useViewer(), id))
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-hover">
      <Link
        to="/alerts/on-call/$scheduleId"
        params={{ scheduleId: id }}
        className="min-w-0 flex-1 basis-40 cut font-medium row-link hover:text-accent hover:underline"
      >
        {name}
      </Link>
      <span className="min-w-0 basis-80 text-[0.92rem] [overflow-wrap:anywhere] max-sm:basis-full">
        {data ? <OnDutyText current={data.current} zone={zone} /> : <span>{isError ? '–' : ''}</span>}
      </span>
    </li>
  )
}
