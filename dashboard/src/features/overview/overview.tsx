import type { Overview as OverviewAnswer } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity, Server } from '../../components/icons.tsx'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { PageSkeleton, QueryPage } from '../../components/query-page.tsx'
import { StatusMark } from '../../components/status.tsx'
import { count } from '../../lib/format.ts'
import { ownerOf, useViewer } from '../../lib/api.ts'
import { usePreferences } from '../../lib/preferences.ts'
import { statusName } from '../../lib/status.ts'
import { serverName } from '../../lib/server-name.ts'
import { statesQuery } from '../../lib/states.ts'
import { messages } from '../../messages/index.ts'
import { Busiest } from './busiest.tsx'
import { overviewQuery } from './queries.ts'
import { ActiveProblems } from './active-problems.tsx'

/** Only new organizations have one. */
const Checklist = lazy(() => import('./checklist.tsx'))
const loadParts = () => import('./parts.ts')
const StateGrid = lazy(async () => ({ default: (await loadParts()).StateGrid }))
const RecentActivity = lazy(async () => ({ default: (await loadParts()).RecentActivity }))
const PeopleAndBudgets = lazy(async () => ({ default: (await loadParts()).PeopleAndBudgets }))

const text = messages.overview

export function Overview() {
  const overview = useQuery(overviewQuery(useViewer()))
  // While the answer is on its way. What fails is loaded again by the part, and reported there.
  useEffect(() => void loadParts().catch(() => undefined), [])
  return (
    <QueryPage title={text.title} query={overview}>
      {(data) => (
        // Not around the checklist alone: it would move what is below it.
        <Suspense fallback={<PageSkeleton title={text.title} />}>
          {data.servers.total + data.monitors.total === 0 ? <EmptyOverview overview={data} /> : <Content overview={data} />}
        </Suspense>
      )}
    </QueryPage>
  )
}

function Content({ overview }: { overview: OverviewAnswer }) {
  const states = useQuery(statesQuery(useViewer()))
  return (
    <Page
      title={text.title}
      aside={
        <Link to="/wall" className={buttonClass('quiet', true)}>
          {text.wall}
        </Link>
      }
    >
      <FirstSteps overview={overview} />
      {/* Two independent columns; on narrow screens one, with the counts right below the problems. */}
      <div className="flex flex-col gap-4 xl:grid xl:grid-cols-[minmax(0,5fr)_minmax(0,3fr)] xl:items-start">
        <div className="contents gap-4 xl:grid">
          <ActiveProblems overview={overview} />
          <div className="grid min-w-0 gap-4 max-xl:order-2">
            <Suspense>
              <StateGrid />
              {/* The grid would move it. */}
              {!states.isPending && <RecentActivity overview={overview} />}
            </Suspense>
          </div>
        </div>
        <div className="contents gap-4 xl:grid">
          <Counts overview={overview} waiting={states.data?.servers.filter(({ waiting }) => waiting).length ?? 0} />
          <div className="grid gap-4 max-xl:order-1">
            <Busiest />
            <OutdatedAgents overview={overview} />
            <Suspense>{!states.isPending && <PeopleAndBudgets />}</Suspense>
          </div>
        </div>
      </div>
    </Page>
  )
}

/** The checklist, for those who may do a step and have not hidden it. */
function FirstSteps({ overview, otherwise }: { overview: OverviewAnswer; otherwise?: ReactNode }) {
  const viewer = useViewer()
  const { withoutChecklist } = usePreferences()
  if (!viewer.can('monitors:create') || withoutChecklist.includes(ownerOf(viewer))) return otherwise
  return <Checklist overview={overview} otherwise={otherwise} />
}

function OutdatedAgents({ overview: { outdated_agents } }: { overview: OverviewAnswer }) {
  const { total, agent_version, servers } = outdated_agents
  if (total === 0) return null
  return (
    <Panel title={text.outdated(total, agent_version)}>
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {servers.map(({ id, hostname, display_name, agent_version: version }) => (
          <li key={id}>
            <Link to="/servers/$serverId" params={{ serverId: id }} className="text-accent hover:underline">
              {serverName({ display_name, hostname })}
            </Link>{' '}
            <span className="text-muted">{version}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** `waiting`: servers without a first sample yet, which the API counts as offline. */
function Counts({ overview: { monitors, servers }, waiting }: { overview: OverviewAnswer; waiting: number }) {
  const { up, down, degraded, paused } = monitors
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-1">
      <CountPanel title={text.monitors} total={monitors.total} Icon={<Activity size={16} aria-hidden="true" />}>
        <CountLink to="/monitors" status="down" value={down} />
        <CountLink to="/monitors" status="degraded" value={degraded} />
        <CountLink to="/monitors" status="up" value={up} />
        <CountLink to="/monitors" status="paused" value={paused} />
      </CountPanel>
      <CountPanel title={text.servers} total={servers.total} Icon={<Server size={16} aria-hidden="true" />}>
        <CountLink to="/servers" status="offline" value={Math.max(0, servers.offline - waiting)} />
        {waiting > 0 && <CountLink to="/servers" status="pending" value={waiting} />}
        <CountLink to="/servers" status="online" value={servers.online} />
      </CountPanel>
    </div>
  )
}

function CountPanel({ title, total, Icon, children }: { title: string; total: number; Icon: ReactNode; children: ReactNode }) {
  return (
    <section className="panel px-4 py-3">
      <h2 className="flex items-center gap-2">
        <span className="text-muted">{Icon}</span>
        {title}
        <span className="ml-auto font-normal text-muted">{count(total)}</span>
      </h2>
      <div className="-mx-2 mt-1.5 flex flex-wrap gap-x-2">{children}</div>
    </section>
  )
}

const TONES: Readonly<Record<string, string>> = { down: 'text-bad', offline: 'text-bad', degraded: 'text-warn' }

function CountLink({ to, status, value }: { to: '/monitors' | '/servers'; status: string; value: number }) {
  return (
    <Link
      to={to}
      search={status === 'pending' ? {} : { status }}
      className="flex min-w-20 flex-col rounded-lg px-2 py-1 hover:bg-hover"
    >
      <span className={`font-semibold text-[1.6rem] leading-8 ${value === 0 ? 'text-muted' : (TONES[status] ?? '')}`}>
        {count(value)}
      </span>
      <span className="flex items-center gap-1.5 text-[0.93rem] text-soft">
        <StatusMark status={value === 0 ? 'pending' : status} className="size-2.5" />
        {statusName(status)}
      </span>
    </Link>
  )
}

/** Shown while nothing is monitored. */
function EmptyOverview({ overview }: { overview: OverviewAnswer }) {
  const { empty } = text
  const mayAdd = useViewer().can('monitors:create')
  return (
    <Page title={empty.title} lead={mayAdd ? empty.lead : empty.viewerLead}>
      <FirstSteps overview={overview} otherwise={<AddCards />} />
    </Page>
  )
}

function AddCards() {
  const { can } = useViewer()
  const { empty } = text
  const card = 'panel flex items-start gap-4 p-5 transition-colors hover:border-accent hover:bg-hover'
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {can('integrations:manage') && (
        <Link to="/servers/add" className={card}>
          <Server className="mt-0.5 text-accent" aria-hidden="true" />
          <span>
            <span className="block font-semibold text-[1.1rem]">{empty.server}</span>
            <span className="text-soft">{empty.serverLead}</span>
          </span>
        </Link>
      )}
      {can('monitors:create') && (
        <Link to="/monitors/add" className={card}>
          <Activity className="mt-0.5 text-accent" aria-hidden="true" />
          <span>
            <span className="block font-semibold text-[1.1rem]">{empty.monitor}</span>
            <span className="text-soft">{empty.monitorLead}</span>
          </span>
        </Link>
      )}
    </div>
  )
}
