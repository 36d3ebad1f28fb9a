import type { Slo } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { AddLink } from '../../components/add-link.tsx'
import { Deleted } from '../../components/deleted.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Page } from '../../components/page.tsx'
import { useListPage } from '../../components/pager.tsx'
import { useViewer } from '../../lib/api.ts'
import { messages } from '../../messages/index.ts'
import { slos } from '../../messages/slos.ts'
import { BudgetBar } from '../../components/budget-bar.tsx'
import { SloBadge } from './budget.tsx'
import { budgetText } from '../../lib/budget-text.ts'
import { burnText } from './figures.ts'
import { Goal } from './goal.tsx'
import { PAGE_LIMIT, ROW_MS, sloQuery, slosQuery } from '../../lib/slo-queries.ts'

const text = slos

export function SloListPage() {
  const viewer = useViewer()
  return (
    <Page title={messages.nav.slos}>
      <ListPanel
        title={messages.nav.slos}
        lead={text.lead}
        empty={text.empty}
        add={viewer.can('monitors:update') && <AddLink small to="/slos/add" label={text.add} />}
        query={useQuery(slosQuery(viewer, useListPage()))}
        rowsOf={({ slos }) => slos}
        row={(slo) => <SloRow key={slo.id} slo={slo} />}
        limit={PAGE_LIMIT}
      />
      <Deleted of="slos" may="monitors:update" />
    </Page>
  )
}

function SloRow({ slo }: { slo: Slo }) {
  const { data, isError } = useQuery(sloQuery(useViewer(), slo.id, ROW_MS))
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 hover:bg-hover">
      <span className="w-28 max-sm:w-full">
        {data ? <SloBadge slo={data} /> : <span className={isError ? '' : 'skeleton block h-5 w-20'}>{isError ? '–' : ''}</span>}
      </span>
      <div className="min-w-0 flex-1 basis-52">
        <Link
          to="/slos/$sloId"
          params={{ sloId: slo.id }}
          className="block cut font-medium row-link hover:text-accent hover:underline"
        >
          {slo.name}
        </Link>
        <p className="text-[0.92rem] text-muted">
          <Goal slo={slo} />
        </p>
      </div>
      <div className="grid w-64 gap-1 text-[0.92rem] max-sm:w-full">
        <span className="flex justify-between gap-3">
          <span className="text-muted">{text.budgetLeft}</span>
          <span className="font-medium">{budgetText(data?.status.budget_left_percent ?? null)}</span>
        </span>
        <BudgetBar left={data?.status.budget_left_percent ?? null} />
        <span className="text-muted">
          {data ? data.status.burn_rates.map(({ window, burn_rate }) => `${window} ${burnText(burn_rate)}`).join(' · ') : '–'}
        </span>
      </div>
    </li>
  )
}
