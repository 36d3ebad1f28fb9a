import type { Schedule, SloDetails } from '@vedette/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Panel } from '../../components/page.tsx'
import { type Api, pollEvery, useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { wall } from '../../messages/wall.ts'
import { OnDutyText } from '../../components/on-duty.tsx'
import { onDutyQuery, schedulesQuery } from '../../lib/schedule-queries.ts'
import { BudgetBar } from '../../components/budget-bar.tsx'
import { budgetText } from '../../lib/budget-text.ts'
import { PAGE_LIMIT as SLO_PAGE_LIMIT, ROW_MS as SLO_ROW_MS } from '../../lib/slo-queries.ts'

/** Of each panel. */
const SHOWN = 5
const LIST = 'divide-y divide-line border-line border-t'
const ROW = 'relative grid gap-x-3 gap-y-1 px-4 py-2 hover:bg-hover'
const NAME = 'cut font-medium row-link hover:text-accent hover:underline'

/** Who is on duty, and the error budgets of which least is left; nothing where there are none. */
export function PeopleAndBudgets() {
  return (
    <>
      <OnDuty />
      <Budgets />
    </>
  )
}

function OnDuty() {
  const list = useQuery(schedulesQuery(useViewer(), 1, SHOWN))
  const schedules = list.data?.schedules ?? []
  if (schedules.length === 0) return null
  return (
    <Panel
      title={wall.onDuty}
      flush
      aside={
        <Link to="/alerts/{-$section}" params={{ section: 'on-call' }} className="text-accent hover:underline">
          {wall.schedules}
        </Link>
      }
    >
      <ul className={LIST}>
        {schedules.map((schedule) => (
          <Duty key={schedule.id} schedule={schedule} />
        ))}
      </ul>
    </Panel>
  )
}

function Duty({ schedule: { id, name, time_zone: zone } }: { schedule: Schedule }) {
  const { data } = useQuery(onDutyQuery(useViewer(), id))
  return (
    <li className={ROW}>
      <Link to="/alerts/on-call/$scheduleId" params={{ scheduleId: id }} className={NAME}>
        {name}
      </Link>
      <span className="min-h-5 text-[0.93rem] [overflow-wrap:anywhere]">
        {data && <OnDutyText current={data.current} zone={zone} />}
      </span>
    </li>
  )
}

/** The objectives of the first page, that with the least budget first. */
const budgetsQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'slos', 'budgets'],
    queryFn: async ({ signal }) => {
      const { slos } = await client.slos.list({ limit: SLO_PAGE_LIMIT }, { signal })
      const details = await Promise.all(slos.map(({ id }) => client.slos.read(id, { signal })))
      return details.toSorted((one, other) => leftOf(one) - leftOf(other))
    },
    staleTime: SLO_ROW_MS / 2,
    refetchInterval: pollEvery(SLO_ROW_MS),
  })

const leftOf = ({ status }: SloDetails): number => status.budget_left_percent ?? Number.POSITIVE_INFINITY

function Budgets() {
  const slos = useQuery(budgetsQuery(useViewer())).data ?? []
  if (slos.length === 0) return null
  return (
    <Panel
      title={wall.budgets}
      flush
      aside={
        <Link to="/slos" className="text-accent hover:underline">
          {messages.nav.slos}
        </Link>
      }
    >
      <ul className={LIST}>
        {slos.slice(0, SHOWN).map((slo) => (
          <Budget key={slo.id} slo={slo} />
        ))}
      </ul>
    </Panel>
  )
}

function Budget({ slo: { id, name, status } }: { slo: SloDetails }) {
  const left = status.budget_left_percent
  return (
    <li className={ROW}>
      <span className="flex min-w-0 justify-between gap-3">
        <Link to="/slos/$sloId" params={{ sloId: id }} className={NAME}>
          {name}
        </Link>
        <span className="shrink-0">{budgetText(left)}</span>
      </span>
      <BudgetBar left={left} />
    </li>
  )
}
