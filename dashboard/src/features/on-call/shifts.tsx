import type { Schedule, ScheduleShifts } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useViewer } from '../../lib/api.ts'
import { escalation } from '../../messages/escalation.ts'
import { shiftsQuery } from './queries.ts'
import { ShiftWeeks } from './shift-weeks.tsx'
import { personText } from '../../lib/person.ts'
import { shiftTime } from '../../lib/shift-time.ts'
import { weeksFrom } from './weeks.ts'

const text = escalation.shifts
const WEEKS = 4

/** Who is on duty in the next weeks, and when nobody is. */
export function Shifts({ schedule: { id, time_zone: zone } }: { schedule: Schedule }) {
  const [nowMs] = useState(Date.now)
  const weeks = weeksFrom(nowMs, zone, WEEKS)
  const [from, to] = [weeks[0]?.fromMs ?? nowMs, weeks.at(-1)?.toMs ?? nowMs]
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const { data, isError, error, refetch } = useQuery(shiftsQuery(useViewer(), id, range))
  return (
    <Panel title={text.title(WEEKS)} flush>
      {isError && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {!data && !isError && <SkeletonRows rows={4} />}
      {data && (
        <>
          <ShiftWeeks answer={data} weeks={weeks} zone={zone} />
          <ShiftTable answer={data} nowMs={nowMs} zone={zone} />
        </>
      )}
    </Panel>
  )
}

function ShiftTable({ answer: { shifts, gaps }, nowMs, zone }: { answer: ScheduleShifts; nowMs: number; zone: string }) {
  const rows = [
    ...shifts.map((shift) => ({ ...shift, person: personText(shift) })),
    ...gaps.map((gap) => ({ ...gap, person: undefined, layer: null })),
  ]
    .filter(({ to }) => Date.parse(to) > nowMs)
    .toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from))
  const at = (timestamp: string) => shiftTime(timestamp, zone)
  const layerName = (layer: number | null) => (layer === null ? text.override : escalation.layers.one(layer + 1))
  return (
    <Table
      label={text.table}
      asCards
      rows={rows}
      keyOf={({ from, person }) => `${from} ${person}`}
      columns={[
        { head: text.person, cell: ({ person }) => person ?? <span className="font-medium text-bad">{text.nobody}</span> },
        { head: text.from, cell: ({ from }) => at(from) },
        { head: text.to, cell: ({ to }) => at(to) },
        { head: text.by, isExtra: true, cell: ({ person, layer }) => (person === undefined ? '' : layerName(layer)) },
      ]}
    />
  )
}
