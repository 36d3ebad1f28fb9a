import type { AlertRulePreview } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Panel } from '../../../components/page.tsx'
import { Instant } from '../../../components/time.tsx'
import { useViewer } from '../../../lib/api.ts'
import { duration } from '../../../lib/format.ts'
import { dayAndClock } from '../../../lib/time.ts'
import { text } from '../../../messages/index.ts'
import { type RuleDraft, ruleBodyOf } from './draft.ts'

const words = text.alerts.preview
const SHOWN = 12

/** What the rule in the form would have opened in the last seven days. */
export function Preview({ draft, onFault }: { draft: RuleDraft; onFault: (error: unknown) => void }) {
  const { client } = useViewer()
  const [seen, setSeen] = useState<{ preview: AlertRulePreview; of: RuleDraft }>()
  const [isBusy, setBusy] = useState(false)
  const look = async () => {
    setBusy(true)
    try {
      setSeen({ preview: await client.alertRules.preview(ruleBodyOf(draft)), of: draft })
      onFault(undefined)
    } catch (error) {
      setSeen(undefined)
      onFault(error)
    } finally {
      setBusy(false)
    }
  }
  const label = seen ? words.again : words.run
  return (
    <Panel
      title={words.title}
      aside={
        <Button small onClick={() => void look()} disabled={isBusy}>
          {isBusy ? words.busy : label}
        </Button>
      }
    >
      <div aria-live="polite">
        {seen ? <Seen preview={seen.preview} isOld={seen.of !== draft} /> : <p className="text-muted">{words.lead}</p>}
      </div>
    </Panel>
  )
}

function Seen({ preview, isOld }: { preview: AlertRulePreview; isOld: boolean }) {
  const { targets, would_open, incidents, has_more_targets, step_seconds } = preview
  if (targets === 0) return <p>{words.noTarget}</p>
  const shown = incidents.slice(0, SHOWN)
  return (
    <div className="grid gap-3">
      <p className="font-semibold">{would_open === 0 ? words.none(targets) : words.would(would_open, targets)}</p>
      {isOld && <p className="text-warn">{words.changed}</p>}
      {would_open > 0 && <Strip preview={preview} />}
      <ul className="divide-y divide-line">
        {shown.map(({ target, opened_at, resolved_at }) => (
          <li key={`${target.id} ${opened_at}`} className="flex items-baseline gap-3 py-1.5">
            <span className="min-w-0 flex-1 truncate">{target.name}</span>
            <span className="text-muted">
              <Instant at={opened_at} format={dayAndClock} />
            </span>
            <span className="w-24 text-right text-muted">
              {resolved_at === null ? words.still : duration((Date.parse(resolved_at) - Date.parse(opened_at)) / 1000)}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-[0.92rem] text-muted">
        {would_open > shown.length && <>{words.more(would_open - shown.length)}. </>}
        {step_seconds !== null && <>{words.step(duration(step_seconds))} </>}
        {has_more_targets && words.moreTargets}
      </p>
    </div>
  )
}

/** Seven days from left to right: where something would have been open. */
function Strip({ preview: { from, to, incidents } }: { preview: AlertRulePreview }) {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  const at = (ms: number) => ((ms - begin) / (end - begin)) * 700
  const days = [1, 2, 3, 4, 5, 6]
  return (
    <svg
      role="img"
      aria-label={words.strip(incidents.length)}
      viewBox="0 0 700 24"
      preserveAspectRatio="none"
      className="h-6 w-full"
    >
      <rect width="700" height="24" rx="2" className="fill-idle-ground" />
      {incidents.map(({ target, opened_at, resolved_at }) => {
        const x = at(Date.parse(opened_at))
        const width = Math.max(at(resolved_at === null ? end : Date.parse(resolved_at)) - x, 2)
        return <rect key={`${target.id} ${opened_at}`} x={x} width={width} height="24" className="fill-bad-bar" opacity="0.75" />
      })}
      {days.map((day) => (
        <rect key={day} x={day * 100} width="1" height="24" className="fill-line" />
      ))}
    </svg>
  )
}
