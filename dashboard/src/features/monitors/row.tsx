import type { MonitorItem } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { Sparkline } from '../../components/sparkline.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { Tags } from '../../components/tags.tsx'
import { Ago } from '../../components/time.tsx'
import { milliseconds, uptime } from '../../lib/format.ts'
import { text } from '../../messages/index.ts'

const words = text.monitors

export const COLUMNS =
  'grid items-center gap-x-4 md:grid-cols-[minmax(0,1fr)_13rem_6rem_6rem] xl:grid-cols-[minmax(0,1fr)_14rem_7rem_9rem_7rem]'

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

export function MonitorRow({ monitor, isChosen, onSelect, onTag }: Props) {
  const { id, name, url, method, status, tags, regions, uptime_7d, avg_response_ms, last_checked_at, sparkline } = monitor
  return (
    // Rows out of sight cost no layout and no paint.
    <li
      className={`${COLUMNS} relative gap-y-1 px-4 py-2 [content-visibility:auto] [contain-intrinsic-size:auto_3.4rem] hover:bg-hover ${isChosen ? 'bg-accent-ground' : ''}`}
    >
      <div className="flex min-w-0 items-center gap-3">
        {onSelect && (
          <input
            type="checkbox"
            aria-label={words.select(name)}
            checked={isChosen}
            onChange={(event) => onSelect(id, event.target.checked)}
            className="relative z-10 size-4 shrink-0 accent-(--accent)"
          />
        )}
        <span className="w-26 shrink-0">
          <StatusBadge status={last_checked_at === null && status !== 'paused' ? 'waiting' : status} />
        </span>
        <div className="min-w-0 flex-1">
          <Link
            to="/monitors/$monitorId"
            params={{ monitorId: id }}
            className="block truncate font-semibold after:absolute after:inset-0"
          >
            {name}
          </Link>
          <div className="flex min-w-0 items-center gap-2 text-[0.88rem] text-muted">
            <span className="truncate">
              {method === 'GET' ? '' : `${method} `}
              {url}
            </span>
            <span className="relative z-10 shrink-0 max-lg:hidden">
              <Tags tags={tags} onTag={onTag} most={3} />
            </span>
          </div>
        </div>
      </div>
      <div className="flex items-center gap-3 max-md:pl-7">
        <Sparkline values={sparkline?.avg_response_ms ?? []} label={words.responseDay} />
        <span className="w-16 text-right">{last_checked_at === null ? text.unknown : milliseconds(avg_response_ms)}</span>
        <span className={`ml-auto font-medium md:hidden ${toneOf(uptime_7d)}`}>
          {last_checked_at === null ? '' : uptime(uptime_7d)}
        </span>
      </div>
      <div className={`text-right font-medium max-md:hidden ${last_checked_at === null ? 'text-muted' : toneOf(uptime_7d)}`}>
        {last_checked_at === null ? text.unknown : uptime(uptime_7d)}
      </div>
      <div className="truncate text-soft max-xl:hidden" title={regions.join(', ')}>
        {regions.length > 2 ? words.regionCount(regions.length) : regions.join(', ')}
      </div>
      <div className="text-right text-[0.92rem] text-muted max-md:hidden">
        {last_checked_at === null ? text.never : <Ago at={last_checked_at} />}
      </div>
    </li>
  )
}
