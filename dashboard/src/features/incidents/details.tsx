import type { Incident } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Check, Eye } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Fact, Page, Panel, SkeletonRows, Trouble } from '../../components/page.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'
import { EvidencePanels } from './evidence.tsx'
import { incidentQuery } from './queries.ts'
import { Lasted } from './row.tsx'
import { Timeline } from './timeline.tsx'

const words = text.incidents
const route = getRouteApi('/incidents/$incidentId')

export function IncidentPage() {
  const { client } = useViewer()
  const { incidentId } = route.useParams()
  const incident = useQuery(incidentQuery(useScope(), client, incidentId))
  if (incident.isError && !incident.data) {
    return (
      <Page title={words.title}>
        <Trouble error={incident.error} onRetry={() => void incident.refetch()} />
      </Page>
    )
  }
  if (!incident.data) {
    return (
      <Page title={words.title} heading={<div className="skeleton h-7 w-72" />}>
        <div className="panel">
          <SkeletonRows rows={6} />
        </div>
      </Page>
    )
  }
  const { data } = incident
  return (
    <Page
      title={data.summary}
      heading={<h1 className="[overflow-wrap:anywhere]">{data.summary}</h1>}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <StatusBadge status={data.status} />
          <StatusBadge status={data.severity} />
          {data.silenced && <span title={words.silencedLead}>{words.silenced}</span>}
        </span>
      }
      aside={<Steps incident={data} />}
    >
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 gap-4">
          <EvidencePanels evidence={data.evidence} />
        </div>
        <div className="grid min-w-0 gap-4">
          <About incident={data} />
          <Timeline incident={data} />
        </div>
      </div>
    </Page>
  )
}

/** What takes the incident on, for who may. */
function Steps({ incident: { id, status } }: { incident: Incident }) {
  const { client, can } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [isResolving, setResolving] = useState(false)
  if (status === 'resolved' || !can('monitors:update')) return null
  const keep = async (step: Promise<Incident>, told: string) => {
    queries.setQueryData([scope, 'incidents', id], await step)
    toast(told)
    await queries.invalidateQueries({ queryKey: [scope, 'incidents', 'list'] })
  }
  const acknowledge = () =>
    keep(client.incidents.acknowledge(id, {}), words.acknowledged).catch((error: unknown) => toast(sentenceOf(error), 'bad'))
  return (
    <>
      {status === 'open' && (
        <Button look="primary" onClick={() => void acknowledge()}>
          <Eye size={15} aria-hidden="true" />
          {words.acknowledge}
        </Button>
      )}
      <Button onClick={() => setResolving(true)}>
        <Check size={15} aria-hidden="true" />
        {words.resolve}
      </Button>
      <Confirm
        isOpen={isResolving}
        onClose={() => setResolving(false)}
        title={words.resolveTitle}
        description={words.resolveLead}
        action={words.resolve}
        onConfirm={() => keep(client.incidents.resolve(id, {}), words.resolved)}
      />
    </>
  )
}

function About({ incident }: { incident: Incident }) {
  const { target, opened_at, resolved_at, acknowledged_at } = incident
  return (
    <Panel title={words.about}>
      <dl>
        <Fact name={words.target}>
          {target.type === 'monitor' ? (
            <Link to="/monitors/$monitorId" params={{ monitorId: target.id }} className="text-accent hover:underline">
              {target.name}
            </Link>
          ) : (
            <Link to="/servers/$serverId" params={{ serverId: target.id }} className="text-accent hover:underline">
              {target.name}
            </Link>
          )}
        </Fact>
        <Fact name={words.rule}>
          <RuleLink id={incident.rule_id} />
        </Fact>
        <Fact name={words.opened}>
          <Instant at={opened_at} format={dayAndClock} />
        </Fact>
        <Fact name={resolved_at === null ? words.openFor : words.lasted}>
          <Lasted incident={incident} />
        </Fact>
        {acknowledged_at !== null && (
          <Fact name={words.acknowledgedBy}>
            <Person id={incident.acknowledged_by} /> · <Instant at={acknowledged_at} format={dayAndClock} />
          </Fact>
        )}
      </dl>
    </Panel>
  )
}

function RuleLink({ id }: { id: string }) {
  const { client } = useViewer()
  const rule = useQuery({
    queryKey: [useScope(), 'alert-rules', id],
    queryFn: ({ signal }) => client.alertRules.read(id, { signal }),
    staleTime: 5 * 60_000,
  })
  if (rule.isError) return <span className="text-muted">{words.ruleGone}</span>
  if (!rule.data) return '…'
  return (
    <Link to="/alerts/rules/$ruleId" params={{ ruleId: id }} className="text-accent hover:underline">
      {rule.data.name}
    </Link>
  )
}

/** By the e-mail, where the viewer may know it; an API key has none. */
function Person({ id }: { id: string | null }) {
  const { client, me } = useViewer()
  const scope = useScope()
  const members = useQuery({
    queryKey: [scope, 'members'],
    queryFn: ({ signal }) => client.members.list(scope, {}, { signal }),
    enabled: id !== null && id !== me.id,
    staleTime: 5 * 60_000,
  })
  if (id === me.id) return words.you
  return members.data?.members.find((member) => member.id === id)?.email ?? words.somebody
}
