import type { IncidentItem, IncidentListItem } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { StatusBadge, StatusMark } from '../../components/status.tsx'
import { Ago, useNow } from '../../components/time.tsx'
import type { IncidentGroup } from '../../lib/fold-incidents.ts'
import { duration } from '../../lib/format.ts'
import { useIsOpenRow } from '../../lib/open-row.ts'
import { statusName } from '../../lib/status.ts'
import { storyTitle } from '../../lib/story-title.ts'
import { messages } from '../../messages/index.ts'

const text = messages.incidents
/** Of what a story affects. */
const SHOWN_NAMES = 3

/** How long the incident is or was open. */
export function IncidentDuration({ incident: { opened_at, resolved_at } }: { incident: IncidentItem }) {
  const now = useNow()
  const end = resolved_at === null ? now : Date.parse(resolved_at)
  return duration((end - Date.parse(opened_at)) / 1000)
}

/** The newest incident; the earlier ones of the same rule and target unfold below it. */
export function IncidentGroupRow({ incident, earlier }: IncidentGroup) {
  const [isOpen, setOpen] = useState(false)
  const first = earlier.at(-1)
  if (!first) return <IncidentRow incident={incident} />
  const span = duration((Date.parse(incident.opened_at) - Date.parse(first.opened_at)) / 1000)
  return (
    <>
      <IncidentRow
        incident={incident}
        more={
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            className="relative z-10 rounded-md bg-idle-ground px-1.5 text-soft hover:bg-accent-ground hover:text-accent"
          >
            {text.repeated(earlier.length + 1, span)}
          </button>
        }
      />
      {isOpen && earlier.map((each) => <IncidentRow key={each.id} incident={each} />)}
    </>
  )
}

export function IncidentRow({ incident, more }: { incident: IncidentListItem; more?: ReactNode }) {
  const { id, status, severity, target, opened_at, resolved_at, silenced, flapping } = incident
  const { incident_count: count = 1, affected } = incident
  const names = affected?.targets.slice(0, SHOWN_NAMES).map(({ name }) => name) ?? [target.name]
  const isOpen = useIsOpenRow(id)
  const others = (affected?.total ?? 1) - names.length
  return (
    <li
      className={`relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-hover md:grid-cols-[8.5rem_minmax(0,1fr)_7rem_11rem] ${isOpen ? 'bg-accent-ground' : ''}`}
    >
      <span className="max-md:order-2">
        <StatusBadge status={status} />
      </span>
      <div className="min-w-0 max-md:order-1">
        <Link
          to="/incidents/$incidentId"
          params={{ incidentId: id }}
          className="line-clamp-2 font-medium [overflow-wrap:anywhere] row-link md:line-clamp-1"
        >
          {storyTitle(incident)}
        </Link>
        <p className="flex flex-wrap items-center gap-x-1.5 text-[0.92rem] text-muted">
          <span className="flex min-w-0 items-center gap-x-1.5">
            <StatusMark status={severity} className="size-2.5" />
            <span className="truncate">
              {statusName(severity)} · {names.join(', ')} {others > 0 && text.moreChildren(others)}
            </span>
          </span>
          {count > 1 && <span className="whitespace-nowrap">· {text.count(count)}</span>}
          {flapping && status !== 'resolved' && <span className="font-medium text-warn">· {statusName('flapping')}</span>}
          {silenced && <span title={text.suppressedLead}>· {text.suppressed}</span>}
          {more}
        </p>
      </div>
      <span className="text-right text-muted max-md:hidden">
        <Ago at={opened_at} />
      </span>
      <span className="text-right text-muted max-md:order-3 max-md:col-span-2 max-md:text-left max-md:text-[0.92rem]">
        {resolved_at === null ? text.openFor : text.duration} <IncidentDuration incident={incident} />
      </span>
    </li>
  )
}
