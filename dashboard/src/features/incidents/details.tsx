import type { Incident } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Check, Eye, MessageSquare } from '../../components/icons.tsx'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Fact, Page, Panel } from '../../components/page.tsx'
import { QueryPage } from '../../components/query-page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { TwoColumns } from '../../components/two-columns.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { dayAndClock, inViewerZone } from '../../lib/time.ts'
import { storyTitle } from '../../lib/story-title.ts'
import { incidentPage } from '../../messages/incident-page.ts'
import { personText } from '../../lib/person.ts'
import { messages } from '../../messages/index.ts'
import { EvidencePanels } from './evidence.tsx'
import { incidentQuery, storyQuery, timelineQuery } from './queries.ts'
import { createPart } from '../../lib/create-part.tsx'
import { IncidentDuration, IncidentRow } from './row.tsx'
import { StoryPanels, Timeline } from './timeline.tsx'

const text = incidentPage
/** Charts are a large part of the code. */
const { Part: MomentChart } = createPart(() => import('./moment-chart.tsx'))
const route = getRouteApi('/incidents/$incidentId')

export function IncidentPage() {
  return <IncidentView incidentId={route.useParams().incidentId} />
}

export function IncidentView({ incidentId }: { incidentId: string }) {
  return (
    <QueryPage title={messages.incidents.title} query={useQuery(incidentQuery(useViewer(), incidentId))}>
      {(incident) => (
        <Page
          title={inViewerZone(incident.summary, Date.parse(incident.opened_at))}
          heading={<Heading incident={incident} />}
          lead={
            <span className="flex flex-wrap items-center gap-2">
              <StatusBadge status={incident.status} />
              <StatusBadge status={incident.severity} />
              {incident.flapping && incident.status !== 'resolved' && <StatusBadge status="flapping" />}
              {incident.silenced && <span title={messages.incidents.suppressedLead}>{messages.incidents.suppressed}</span>}
            </span>
          }
          aside={<IncidentActions incident={incident} />}
        >
          <TwoColumns>
            <div className="grid min-w-0 gap-4">
              {/* As high as its skeleton. */}
              <MomentChart incident={incident} placeholder={<div className="panel min-h-[15.6rem]" />} />
              <EvidencePanels incident={incident} />
              <Story incident={incident} />
              <Children incident={incident} />
            </div>
            <div className="grid min-w-0 gap-4">
              <IncidentFacts incident={incident} />
              <StoryPanels incident={incident} />
              <Timeline incident={incident} />
            </div>
          </TwoColumns>
          {/* The pinned button must not cover what is last. */}
          {incident.status === 'open' && <div className="h-14 sm:hidden" />}
        </Page>
      )}
    </QueryPage>
  )
}

function IncidentActions({ incident: { id, status } }: { incident: Incident }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const [isResolving, setResolving] = useState(false)
  if (!can('monitors:update')) return null
  const announce = (
    <Link to="/status-pages/announce" search={{ incident: id }} className={buttonClass()}>
      <MessageSquare size={15} aria-hidden="true" />
      {text.announce}
    </Link>
  )
  if (status === 'resolved') return announce
  const show = async (changed: Incident, message: string) => {
    cache.set(['incidents', id], changed)
    toast(message)
    await cache.invalidate('incidents', 'list')
    await cache.invalidate('incidents', 'story')
  }
  const acknowledge = async () => show(await client.incidents.acknowledge(id, {}), messages.incidents.acknowledged)
  const resolve = async () => show(await client.incidents.resolve(id, {}), text.resolved)
  return (
    <>
      {status === 'open' && (
        // Pinned above the navigation of a phone, as large as a finger needs.
        <Button
          variant="primary"
          className="max-sm:fixed max-sm:inset-x-4 max-sm:bottom-[calc(4.5rem+env(safe-area-inset-bottom))] max-sm:z-20 max-sm:min-h-[44px]"
          onClick={() => void acknowledge().catch(toastError)}
        >
          <Eye size={15} aria-hidden="true" />
          {text.acknowledge}
        </Button>
      )}
      <Button onClick={() => setResolving(true)}>
        <Check size={15} aria-hidden="true" />
        {text.resolve}
      </Button>
      {announce}
      <Confirm
        isOpen={isResolving}
        onClose={() => setResolving(false)}
        title={text.resolveTitle}
        description={text.resolveLead}
        action={text.resolve}
        onConfirm={resolve}
      />
    </>
  )
}

function IncidentFacts({ incident }: { incident: Incident }) {
  const { target, opened_at, resolved_at, acknowledged_at, parent_id: parentId } = incident
  return (
    <Panel title={text.details}>
      <dl>
        <Fact name={text.target}>
          {target.type === 'monitor' ? (
            <Link to="/monitors/$monitorId" params={{ monitorId: target.id }} className="text-accent hover:underline">
              {target.name}
            </Link>
          ) : target.type === 'slo' ? (
            <Link to="/slos/$sloId" params={{ sloId: target.id }} className="text-accent hover:underline">
              {target.name}
            </Link>
          ) : target.type === 'series' ? (
            <span className="[overflow-wrap:anywhere]">{target.name}</span>
          ) : target.type === 'external' ? (
            <ExternalTarget target={target} />
          ) : (
            <Link to="/servers/$serverId" params={{ serverId: target.id }} className="text-accent hover:underline">
              {target.name}
            </Link>
          )}
        </Fact>
        {incident.rule_id !== null && (
          <Fact name={text.rule}>
            {target.type === 'slo' ? <SloAlert incident={incident} /> : <RuleLink id={incident.rule_id} />}
          </Fact>
        )}
        {parentId !== null && (
          <Fact name={text.parent}>
            <ParentLink id={parentId} />
          </Fact>
        )}
        <Fact name={text.opened}>
          <Instant at={opened_at} format={dayAndClock} />
        </Fact>
        <Fact name={resolved_at === null ? messages.incidents.openFor : messages.incidents.duration}>
          <IncidentDuration incident={incident} />
        </Fact>
        {acknowledged_at !== null && (
          <Fact name={text.acknowledgedBy}>
            <Person id={incident.acknowledged_by} user={incident.acknowledged_by_user} /> ·{' '}
            <Instant at={acknowledged_at} format={dayAndClock} />
          </Fact>
        )}
      </dl>
    </Panel>
  )
}

/** What happened, of the whole story. */
function Heading({ incident }: { incident: Incident }) {
  const { id, story_id: storyId } = incident
  const story = useQuery({ ...timelineQuery(useViewer(), id), enabled: storyId !== null }).data
  return (
    <h1>
      {story
        ? storyTitle({ ...incident, affected: story.affected })
        : inViewerZone(incident.summary, Date.parse(incident.opened_at))}
    </h1>
  )
}

/** The first of them stand for a story: on a phone its line of time is not far below. */
const FEW = 5

/** All incidents with the same cause. */
function Story({ incident: { story_id: id, cause, child_count: children } }: { incident: Incident }) {
  const [isOpen, setOpen] = useState(false)
  const story = useQuery({ ...storyQuery(useViewer(), id ?? ''), enabled: id !== null })
  // What depends on it is listed as its children.
  const isListed = cause?.kind === 'parent' && children > 0
  if (id === null || !story.data || isListed) return null
  const { total, incidents } = story.data
  const shown = isOpen || incidents.length <= FEW + 1 ? incidents : incidents.slice(0, FEW)
  return (
    <Panel title={text.sameCause(total)} flush>
      {/* The heading names a shared tag. */}
      {cause && cause.kind !== 'shared_tag' && <p className="px-4 pb-2.5 text-soft">{cause.text}</p>}
      <ul className="divide-y divide-line border-line border-t">
        {shown.map((one) => (
          <IncidentRow key={one.id} incident={one} />
        ))}
      </ul>
      {shown.length < incidents.length ? (
        <p className="border-line border-t px-4 py-2.5">
          <Button onClick={() => setOpen(true)}>{text.showAll(incidents.length)}</Button>
        </p>
      ) : (
        total > incidents.length && (
          <p className="border-line border-t px-4 py-2.5 text-muted">
            {messages.incidents.moreChildren(total - incidents.length)}
          </p>
        )
      )}
    </Panel>
  )
}

/** The incidents that opened silently below this one. */
function Children({ incident: { children, child_count: count } }: { incident: Incident }) {
  if (count === 0) return null
  return (
    <Panel title={text.children(count)} flush>
      <ul className="divide-y divide-line border-line border-t">
        {children.map((child) => (
          <IncidentRow key={child.id} incident={child} />
        ))}
      </ul>
      {count > children.length && (
        <p className="border-line border-t px-4 py-2.5 text-muted">{messages.incidents.moreChildren(count - children.length)}</p>
      )}
    </Panel>
  )
}

function ParentLink({ id }: { id: string }) {
  const parent = useQuery(incidentQuery(useViewer(), id))
  if (parent.isError) return <span className="text-muted">{text.ruleDeleted}</span>
  return (
    <Link to="/incidents/$incidentId" params={{ incidentId: id }} className="text-accent hover:underline">
      {parent.data?.summary ?? '…'}
    </Link>
  )
}

/** Which alert of the SLO: its rule is part of the SLO, and has no page of its own. */
function SloAlert({ incident: { target, evidence } }: { incident: Incident }) {
  const { window } = evidence
  return (
    <Link to="/slos/$sloId" params={{ sloId: target.id }} className="text-accent hover:underline">
      {typeof window === 'string' ? text.burnAlertOver(window) : text.burnAlert}
    </Link>
  )
}

/** What a sender reports, with its page about it; only pages of the web are links. */
function ExternalTarget({ target: { name, url } }: { target: Incident['target'] }) {
  const shown = <span className="[overflow-wrap:anywhere]">{name}</span>
  if (typeof url !== 'string' || !/^https?:/.test(url)) return shown
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className="text-accent hover:underline">
      {shown}
    </a>
  )
}

function RuleLink({ id }: { id: string }) {
  const { client, organizationId } = useViewer()
  const rule = useQuery({
    queryKey: [organizationId, 'alert-rules', id],
    queryFn: ({ signal }) => client.alertRules.read(id, { signal }),
    staleTime: 5 * 60_000,
  })
  if (rule.isError) return <span className="text-muted">{text.ruleDeleted}</span>
  if (!rule.data) return '…'
  return (
    <Link to="/alerts/rules/$ruleId" params={{ ruleId: id }} className="text-accent hover:underline">
      {rule.data.name}
    </Link>
  )
}

/** Name and e-mail of a user. Deleted accounts and API keys have none. */
function Person({ id, user }: { id: string | null; user: Incident['acknowledged_by_user'] }) {
  if (id === useViewer().me.id) return text.you
  return user ? personText(user) : text.someone
}
