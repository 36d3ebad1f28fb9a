import type { MonitorItem } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { Sparkline } from '../../components/sparkline.tsx'
import { StatusBadge, StatusMark } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { Ago, useNow } from '../../components/time.tsx'
import { UptimeStrip } from '../../components/uptime-strip.tsx'
import { useViewer } from '../../lib/api.ts'
import { milliseconds, uptime } from '../../lib/format.ts'
import { isUnchecked, shownStatus } from '../../lib/monitor-status.ts'
import { useIsOpenRow } from '../../lib/open-row.ts'
import { statusName } from '../../lib/status.ts'
import { currentIncidentsQuery } from '../../lib/target-queries.ts'
import { messages } from '../../messages/index.ts'

import { kindWords, targetText } from './kind-words.ts'

const text = messages.monitors

export const COLUMNS =
  'grid items-center gap-x-4 md:grid-cols-[minmax(0,1fr)_17rem_12rem] lg:grid-cols-[minmax(0,1fr)_17rem_15rem] min-[88rem]:grid-cols-[minmax(0,1fr)_17rem_20rem_8rem_6rem]'

interface Props {
  monitor: MonitorItem
  isChosen: boolean
  onSelect: ((id: string, isChosen: boolean) => void) | undefined
  onTag: (tag: string) => void
}

const toneOf = (percent: number): string => {
  if (percent >= 99.9) return 'text-good'
  return percent >= 95 ? 'text-warn' : 'text-bad'
}

/** Its functions must be the same in each pass: an update of the list renders only the rows that changed. */
export const MonitorRow = memo(({ monitor, isChosen, onSelect, onTag }: Props) => {
  const { id, name, status, tags, uptime_7d, avg_response_ms, last_checked_at, sparkline } = monitor
  const { flapping, uptime: days, p95_response_ms, status_by_region } = monitor
  const isOpen = useIsOpenRow(id)
  const isNew = isUnchecked(monitor)
  const address = targetText(monitor)
  // Seven good days are no comfort while it is down.
  const tone = status === 'down' ? '' : toneOf(uptime_7d)
  return (
    // Rows out of view cost no layout and no paint.
    <li
      className={`${COLUMNS} relative gap-y-1 px-4 py-2 [content-visibility:auto] [contain-intrinsic-size:auto_3.4rem] hover:bg-hover ${isChosen || isOpen ? 'bg-accent-ground' : ''}`}
    >
      <div className="flex min-w-0 items-center gap-3">
        {onSelect && (
          <label className="tiny-control z-10 flex shrink-0">
            <input
              type="checkbox"
              aria-label={text.select(name)}
              checked={isChosen}
              onChange={(event) => onSelect(id, event.target.checked)}
              className="size-4 accent-(--accent)"
            />
          </label>
        )}
        <span className="min-w-26 shrink-0">
          <StatusBadge status={shownStatus(monitor)} />
        </span>
        <div className="min-w-0 flex-1">
          <Link to="/monitors/$monitorId" params={{ monitorId: id }} className="block cut font-semibold row-link">
            {name}
          </Link>
          <div className="flex min-w-0 items-center gap-2 text-[0.88rem] text-muted">
            {flapping && <span className="shrink-0 font-medium text-warn">{statusName('flapping')}</span>}
            {status === 'down' || status === 'degraded' ? (
              <Trouble id={id} name={name} otherwise={address} />
            ) : (
              <>
                <span className="truncate">{address}</span>
                <KindWords monitor={monitor} />
              </>
            )}
            <span className="relative z-10 max-w-3/5 shrink-0 max-lg:hidden">
              <Tags tags={tags} onTag={onTag} most={3} />
            </span>
          </div>
        </div>
      </div>
      <div className="flex items-center gap-3 max-md:pl-7">
        <Sparkline values={sparkline?.avg_response_ms ?? []} label={text.responseDay} />
        <span className="w-16 whitespace-nowrap text-right">
          {isNew || p95_response_ms === null ? messages.unknown : milliseconds(avg_response_ms)}
        </span>
        <span className="w-18 whitespace-nowrap text-right text-muted" title={text.p95Lead}>
          {isNew ? messages.unknown : milliseconds(p95_response_ms)}
        </span>
        <span className={`ml-auto font-medium md:hidden ${tone}`}>{isNew ? '' : uptime(uptime_7d)}</span>
      </div>
      <div className="flex items-center gap-3 max-md:pl-7">
        <UptimeStrip values={days?.uptime_percent ?? []} />
        <span className={`w-20 shrink-0 whitespace-nowrap text-right font-medium max-md:hidden ${isNew ? 'text-muted' : tone}`}>
          {isNew ? messages.unknown : uptime(uptime_7d)}
        </span>
      </div>
      <Regions states={status_by_region ?? {}} />
      <div className="text-right text-[0.92rem] text-muted max-[88rem]:hidden">
        {last_checked_at === null ? isNew ? messages.never : messages.unknown : <Ago at={last_checked_at} />}
      </div>
    </li>
  )
})

/** Alone it is drawn again as time passes. */
function KindWords({ monitor }: { monitor: MonitorItem }) {
  const words = kindWords(monitor, useNow())
  return words === '' ? null : <span className="shrink-0 text-soft">{words}</span>
}

/** Since when and why it is not up, by its most severe open incident; without one the address. */
function Trouble({ id, name, otherwise }: { id: string; name: string; otherwise: string }) {
  const { data: incident } = useQuery({
    ...currentIncidentsQuery(useViewer()),
    select: (incidents) => incidents.find(({ target }) => target.id === id),
  })
  if (!incident) return <span className="truncate">{otherwise}</span>
  const { summary, opened_at } = incident
  return (
    <>
      <span className="truncate" title={summary}>
        {summary.startsWith(name) ? summary.slice(name.length).replace(/^[:\s]+/, '') : summary}
      </span>
      <span className="shrink-0">
        <Ago at={opened_at} />
      </span>
    </>
  )
}

const SHOWN_REGIONS = 2

/** The confirmed state of each region; only the first ones, the others on hover. */
function Regions({ states }: { states: Readonly<Record<string, string | null>> }) {
  const all = Object.entries(states)
  const title = all.map(([region, state]) => `${region}: ${statusName(state ?? 'pending')}`).join(', ')
  return (
    <div className="flex min-w-0 flex-wrap gap-x-2 text-soft max-[88rem]:hidden" title={title}>
      {all.slice(0, SHOWN_REGIONS).map(([region, state]) => (
        <span key={region} className="inline-flex min-w-0 items-center gap-1">
          <StatusMark status={state ?? 'pending'} className="size-2.5" />
          <span className="truncate">{region}</span>
          <span className="sr-only">{statusName(state ?? 'pending')}</span>
        </span>
      ))}
      {all.length > SHOWN_REGIONS && <span className="text-muted">+{all.length - SHOWN_REGIONS}</span>}
    </div>
  )
}
