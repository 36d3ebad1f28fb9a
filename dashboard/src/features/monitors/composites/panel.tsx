import { isWatched } from '@vedette/shared/tables'
import type { CompositeMemberState, CompositeOptions, MonitorDetails, RegionState } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { ChevronRight } from '../../../components/icons.tsx'
import { useOverwriteQuestion } from '../../../components/managed.tsx'
import { ErrorPanel, Panel, SkeletonRows } from '../../../components/page.tsx'
import { ResourceLink } from '../../../components/resource-link.tsx'
import { Segmented } from '../../../components/segmented.tsx'
import { StatusBadge } from '../../../components/status.tsx'
import { toast, toastError } from '../../../components/toast.tsx'
import { useCache, useViewer } from '../../../lib/api.ts'
import { tabOfKind } from '../../../lib/entity-tabs.ts'
import { anyKindName } from '../../../lib/entity-texts.ts'
import { kindLabel } from '../../../lib/kind-texts.ts'
import { statusName } from '../../../lib/status.ts'
import { composites } from '../../../messages/composites.ts'
import { messages } from '../../../messages/index.ts'
import { monitorQuery } from '../queries.ts'
import { MANUAL_STATES } from './input.ts'
import { CompositeMap } from './map.tsx'
import { shownState, worstFirst } from './members.ts'

const text = composites.panel
/** Further members are shown with a button. */
const FIRST = 30

/** What a composite sums up, or the status that a person gives it. */
export default function CompositePanel({ monitor }: { monitor: MonitorDetails }) {
  const { composite, options, status } = monitor
  const { manual_status: manual } = options as CompositeOptions
  if (manual !== undefined) return <ManualStatus monitor={monitor} manual={manual} />
  if (!composite) return null
  return (
    <>
      <Panel title={text.title} flush>
        {/* A notice at the head of the page has it otherwise. */}
        {(status === 'up' || !isWatched(status)) && <p className="px-4 pb-3 text-muted">{composite.reason}</p>}
        <div className="border-line border-t">
          <Members composite={composite} />
        </div>
      </Panel>
      <CompositeMap monitor={monitor} />
    </>
  )
}

function ManualStatus({ monitor: { id, managed }, manual }: { monitor: MonitorDetails; manual: RegionState }) {
  const { client, can } = useViewer()
  const cache = useCache()
  const { confirmOverwrite, question } = useOverwriteQuestion(managed)
  const set = async (status: RegionState, before?: RegionState): Promise<void> => {
    cache.set(['monitors', id], await client.monitors.update(id, { options: { manual_status: status } }))
    toast(text.set(statusName(status)), before && (() => set(before)))
    await cache.invalidate('monitors')
  }
  const choose = (status: RegionState): void => {
    if (status === manual) return
    void confirmOverwrite().then(
      () => set(status, manual).catch(toastError),
      // Nothing happens after a no.
      () => undefined,
    )
  }
  return (
    <Panel title={text.manualTitle}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{text.manualLead}</p>
        {can('monitors:update') && (
          <Segmented
            label={text.status}
            value={manual}
            options={MANUAL_STATES.map((value) => ({ value, label: statusName(value) }))}
            onChoose={choose}
          />
        )}
      </div>
      {question}
    </Panel>
  )
}

/** The worst first; each composite among them unfolds. */
function Members({ composite: { members, members_total: total } }: { composite: NonNullable<MonitorDetails['composite']> }) {
  const [isWhole, setWhole] = useState(false)
  const sorted = worstFirst(members)
  if (sorted.length === 0) return <p className="px-4 py-3 text-muted">{text.none}</p>
  return (
    <>
      <ul className="divide-y divide-line">
        {(isWhole ? sorted : sorted.slice(0, FIRST)).map((member) => (
          <Member key={`${member.type} ${member.id}`} member={member} />
        ))}
      </ul>
      {!isWhole && sorted.length > FIRST && (
        <p className="border-line border-t px-4 py-2">
          <Button small variant="quiet" onClick={() => setWhole(true)}>
            {messages.list.showAll(sorted.length)}
          </Button>
        </p>
      )}
      {total > sorted.length && (
        <p className="border-line border-t px-4 py-2 text-muted">{text.further(total - sorted.length)}</p>
      )}
    </>
  )
}

function Member({ member }: { member: CompositeMemberState }) {
  const [isOpen, setOpen] = useState(false)
  const { id, name, type, kind, outside, weight, required } = member
  const isComposite = type === 'monitor' && kind === 'composite'
  const notes = [
    kindText(member),
    ...(outside === null ? [] : [text.outside[outside]]),
    ...(weight === 1 ? [] : [composites.weightOf(String(weight))]),
    ...(required ? [composites.required] : []),
  ]
  return (
    <li>
      <div className="grid min-h-11 grid-cols-[minmax(6.5rem,auto)_minmax(0,1fr)_auto] items-center gap-3 px-4 py-1.5">
        <span>
          <StatusBadge status={shownState(member)} />
        </span>
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <MemberLink member={member} /> <span className="text-[0.9rem] text-muted">{notes.filter(Boolean).join(' · ')}</span>
        </span>
        {isComposite && (
          <IconButton label={text.unfold(name)} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <ChevronRight size={16} className={isOpen ? 'rotate-90' : ''} />
          </IconButton>
        )}
      </div>
      {isOpen && <Nested id={id} />}
    </li>
  )
}

const kindText = ({ type, kind }: CompositeMemberState): string => {
  if (type === 'monitor') return kindLabel(kind ?? 'http')
  return type === 'entity' ? anyKindName(kind ?? '') : text.server
}

function MemberLink({ member: { type, id, name, kind, server_id: serverId } }: { member: CompositeMemberState }) {
  if (type !== 'entity')
    return (
      <ResourceLink type={type} id={id}>
        {name}
      </ResourceLink>
    )
  const tab = tabOfKind(kind ?? '')
  if (serverId === null || tab === undefined) return <bdi className="font-medium">{name}</bdi>
  return (
    <Link
      to="/servers/$serverId/$tab"
      params={{ serverId, tab }}
      search={{ entity: id }}
      className="font-medium text-accent hover:underline"
    >
      <bdi>{name}</bdi>
    </Link>
  )
}

/** The members of a composite within another, read when they are unfolded. */
function Nested({ id }: { id: string }) {
  const { data, isError, error, refetch } = useQuery(monitorQuery(useViewer(), id))
  return (
    <div className="border-line border-t border-l-4 border-l-line ml-4">
      {isError && !data ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <NestedMembers monitor={data} />
      ) : (
        <SkeletonRows rows={2} />
      )}
    </div>
  )
}

function NestedMembers({ monitor: { composite, options } }: { monitor: MonitorDetails }) {
  if ((options as CompositeOptions).manual_status !== undefined) return <p className="px-4 py-2 text-muted">{text.manualLead}</p>
  return composite ? <Members composite={composite} /> : null
}
