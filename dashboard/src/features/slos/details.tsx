import type { BurnRate, SloDetails } from '@vedette/shared'
import { BURN_ALERTS } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { Pencil } from '../../components/icons.tsx'
import { ManagedNote } from '../../components/managed.tsx'
import { Fact, Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { Table } from '../../components/table.tsx'
import { OpenIncidents, useWaitsForIncidents } from '../../components/target-alerts.tsx'
import { toast } from '../../components/toast.tsx'
import { useRestore } from '../../components/use-restore.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { createPart } from '../../lib/create-part.tsx'
import { count, duration, orDash } from '../../lib/format.ts'
import { dayAndClock } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { locale } from '../../messages/language.ts'
import { slos } from '../../messages/slos.ts'
import { BudgetBar } from '../../components/budget-bar.tsx'
import { SloBadge } from './budget.tsx'
import { budgetText } from '../../lib/budget-text.ts'
import { burnText, factorText, share } from './figures.ts'
import { Goal } from './goal.tsx'
import { sloQuery } from '../../lib/slo-queries.ts'
import { isTooFast } from './state.ts'

const { Part: BurnDown } = createPart(() => import('./burn-down-panel.tsx'))

const text = slos

const route = getRouteApi('/slos/$sloId')

export function SloPage() {
  const { sloId } = route.useParams()
  return (
    <QueryPage title={messages.nav.slos} query={useQuery(sloQuery(useViewer(), sloId))} isWaiting={useWaitsForIncidents(sloId)}>
      {(slo) => (
        <Page
          title={slo.name}
          lead={
            <span className="flex flex-wrap items-center gap-2 [overflow-wrap:anywhere]">
              <SloBadge slo={slo} />
              <span>
                <Goal slo={slo} />
              </span>
            </span>
          }
          aside={<Actions slo={slo} />}
        >
          <div className="grid gap-4">
            <ManagedNote managed={slo.managed} />
            <OpenIncidents id={slo.id} />
            <div className="grid items-start gap-4 xl:grid-cols-2">
              <div className="grid min-w-0 gap-4">
                <Budget slo={slo} />
                <BurnRates slo={slo} />
              </div>
              <BurnDown slo={slo} />
            </div>
          </div>
        </Page>
      )}
    </QueryPage>
  )
}

function Actions({ slo }: { slo: SloDetails }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const restore = useRestore('slos')
  const navigate = useNavigate()
  if (!can('monitors:update')) return null
  const { id, name } = slo
  const remove = async () => {
    await client.slos.remove(id)
    toast(messages.done.deleted(name), () => restore(id, name))
    await navigate({ to: '/slos' })
    cache.remove('slos', id)
    await cache.invalidate('slos', 'list')
  }
  return (
    <>
      <Link to="/slos/$sloId/edit" params={{ sloId: id }} className={buttonClass()}>
        <Pencil size={15} aria-hidden="true" />
        {messages.actions.edit}
      </Link>
      <DeleteButton name={name} lead={text.deleteLead} onDelete={remove} />
    </>
  )
}

/** Of composites time is counted. */
function Budget({ slo: { objective, status } }: { slo: SloDetails }) {
  const { from, to, exact_from: exactFrom, bad, total, good_percent: good, budget_left_percent: left } = status
  const at = (timestamp: string) => dayAndClock(Date.parse(timestamp))
  const allowed = (total * (100 - objective)) / 100
  const isTime = status.unit === 'time'
  const words = isTime ? text.time : text
  const amount = (value: number): string => (isTime ? duration(value) : count(value))
  return (
    <Panel title={text.budget}>
      <p className="mb-1.5 flex items-baseline justify-between gap-3">
        <span className="text-muted">{text.budgetLeft}</span>
        <span className={`font-semibold text-[1.22rem] ${left !== null && left < 0 ? 'text-bad' : ''}`}>{budgetText(left)}</span>
      </p>
      <BudgetBar left={left} />
      <dl className="mt-3">
        <Fact name={words.good}>{orDash(good, share)}</Fact>
        <Fact name={text.objective}>{share(objective)}</Fact>
        <Fact name={words.bad}>
          {text.badOf(
            amount(bad),
            isTime ? amount(allowed) : allowed.toLocaleString(locale, { maximumFractionDigits: allowed < 100 ? 1 : 0 }),
          )}
        </Fact>
        <Fact name={words.total}>{amount(total)}</Fact>
        <Fact name={text.range}>{text.countedUntil(at(from), at(to))}</Fact>
      </dl>
      <p className="mt-2 text-[0.92rem] text-muted">
        {words.counted} {Date.parse(exactFrom) > Date.parse(from) && text.exactFrom(at(exactFrom))}
      </p>
    </Panel>
  )
}

function BurnRates({ slo }: { slo: SloDetails }) {
  const { burn } = text
  const spans = ({ window }: BurnRate) => [duration(BURN_ALERTS[window].longSeconds), duration(BURN_ALERTS[window].shortSeconds)]
  return (
    <Panel
      title={text.burnRates}
      flush
      aside={
        <Link to="/incidents" search={{ target: slo.id, status: 'resolved' }} className="text-accent hover:underline">
          {text.past}
        </Link>
      }
    >
      <p className="px-4 pb-3 text-muted">{text.burnLead}</p>
      <Table
        label={text.burnRates}
        rows={slo.status.burn_rates}
        keyOf={({ window }) => window}
        columns={[
          { head: burn.window, cell: (rate) => <span title={spans(rate).join(' + ')}>{spans(rate)[0]}</span> },
          {
            head: burn.rate,
            isFigure: true,
            cell: (rate) => (
              <span className={isTooFast(rate, slo) ? 'font-semibold text-bad' : 'font-medium'}>{burnText(rate.burn_rate)}</span>
            ),
          },
          {
            head: burn.threshold,
            isFigure: true,
            cell: ({ window }) => factorText(window),
          },
          {
            head: slo.status.unit === 'time' ? text.time.total : burn.checks,
            isFigure: true,
            isExtra: true,
            cell: ({ total }) => (slo.status.unit === 'time' ? duration(total) : count(total)),
          },
          { head: burn.alert, isText: true, cell: (rate) => alertText(rate, slo) },
        ]}
      />
    </Panel>
  )
}

function alertText({ window, too_few_checks: tooFew }: BurnRate, { burn_alerts: on }: SloDetails): string {
  const { burn } = text
  if (!on.includes(window)) return burn.off
  return tooFew ? `${burn.on} (${burn.tooFew})` : burn.on
}
