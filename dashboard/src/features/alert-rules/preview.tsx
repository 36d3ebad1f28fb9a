import type { AlertRulePreview } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { useViewer } from '../../lib/api.ts'
import { duration } from '../../lib/format.ts'
import { dayAndClock } from '../../lib/time.ts'
import { rulePreview as text } from '../../messages/rule-preview.ts'
import { ruleExpression } from '../../messages/rule-expression.ts'
import { isExpression, type RuleInput, toRuleBody } from './input.ts'

const SHOWN = 12

/** The incidents that the unsaved rule would have opened in the last seven days. */
export function Preview({ input, onError }: { input: RuleInput; onError: (error: unknown) => void }) {
  const { client } = useViewer()
  const [result, setResult] = useState<{ preview: AlertRulePreview; input: RuleInput }>()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      setResult({ preview: await client.alertRules.preview(toRuleBody(input)), input })
      onError(undefined)
    } catch (error) {
      setResult(undefined)
      onError(error)
    } finally {
      setBusy(false)
    }
  }
  const label = result ? text.runAgain : text.run
  return (
    <Panel
      title={text.title}
      aside={
        <Button small onClick={() => void run()} disabled={isBusy}>
          {isBusy ? text.running : label}
        </Button>
      }
    >
      <div aria-live="polite">
        {result ? (
          <PreviewResult preview={result.preview} isOld={result.input !== input} isOfSeries={isExpression(result.input)} />
        ) : (
          <p className="text-muted">{text.lead}</p>
        )}
      </div>
    </Panel>
  )
}

interface ResultProps {
  preview: AlertRulePreview
  isOld: boolean
  isOfSeries: boolean
}

function PreviewResult({ preview, isOld, isOfSeries }: ResultProps) {
  const { targets, would_open, incidents, has_more_targets, step_seconds } = preview
  if (targets === 0) return <p>{isOfSeries ? ruleExpression.noTarget : text.noTarget}</p>
  const shown = incidents.slice(0, SHOWN)
  return (
    <div className="grid gap-3">
      <p className="font-semibold">{text.result(would_open, targets)}</p>
      {isOld && <p className="text-warn">{text.outdated}</p>}
      {would_open > 0 && <Strip preview={preview} />}
      <ul className="divide-y divide-line">
        {shown.map(({ target, opened_at, resolved_at }) => (
          <li key={`${target.id} ${opened_at}`} className="flex items-baseline gap-3 py-1.5">
            <span className="min-w-0 flex-1 truncate">{target.name}</span>
            <span className="text-muted">
              <Instant at={opened_at} format={dayAndClock} />
            </span>
            <span className="w-24 text-right text-muted">
              {resolved_at === null ? text.stillOpen : duration((Date.parse(resolved_at) - Date.parse(opened_at)) / 1000)}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-[0.92rem] text-muted">
        {would_open > shown.length && <>{text.more(would_open - shown.length)}. </>}
        {step_seconds !== null && <>{text.resolution(duration(step_seconds))} </>}
        {has_more_targets && (isOfSeries ? ruleExpression.moreTargets : text.moreTargets)}
      </p>
    </div>
  )
}

/** The open times of the incidents over seven days. */
function Strip({ preview: { from, to, incidents } }: { preview: AlertRulePreview }) {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const at = (ms: number) => ((ms - start) / (end - start)) * 700
  const days = [1, 2, 3, 4, 5, 6]
  return (
    <svg
      role="img"
      aria-label={text.strip(incidents.length)}
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
