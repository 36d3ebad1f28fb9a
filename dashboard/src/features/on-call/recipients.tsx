import type { EscalationPolicy, EscalationRecipients } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { ErrorPanel, Panel, SkeletonRows } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { channelsQuery } from '../../lib/channel-queries.ts'
import { duration } from '../../lib/format.ts'
import { personText } from '../../lib/person.ts'
import { viewerZone } from '../../lib/time.ts'
import { instantAt } from '../../lib/time-zone.ts'
import { escalation } from '../../messages/escalation.ts'
import { schedulesQuery } from '../../lib/schedule-queries.ts'
import { recipientsQuery } from './queries.ts'

const text = escalation.recipients

/** Whom the saved policy would notify, now or at another time. */
export function Recipients({ policy }: { policy: EscalationPolicy }) {
  const [typed, setTyped] = useState('')
  const atMs = typed === '' ? undefined : instantAt(typed, viewerZone())
  const at = atMs === undefined ? undefined : new Date(atMs).toISOString()
  const { data, isError, error, refetch } = useQuery(recipientsQuery(useViewer(), policy.id, at))
  return (
    <Panel title={text.title}>
      <div className="grid gap-3">
        <TextField
          label={text.at}
          hint={text.atHint}
          type="datetime-local"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div aria-live="polite">
          {isError && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
          {!data && !isError && <SkeletonRows rows={2} />}
          {data && (
            <ol className="grid gap-3">
              {data.steps.map((step, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows have no state of their own
                <StepRecipients key={index} step={step} policy={policy} index={index} />
              ))}
            </ol>
          )}
        </div>
      </div>
    </Panel>
  )
}

interface StepProps {
  step: EscalationRecipients['steps'][number]
  policy: EscalationPolicy
  index: number
}

function StepRecipients({ step, policy, index }: StepProps) {
  const viewer = useViewer()
  const { data: channels } = useQuery(channelsQuery(viewer, 1))
  const { data: schedules } = useQuery(schedulesQuery(viewer, 1, 100))
  const waited = policy.steps.slice(0, index).reduce((sum, { wait_seconds: wait }) => sum + wait, 0)
  const channelNames = step.channel_ids.map((id) => channels?.channels.find((one) => one.id === id)?.name ?? id)
  const gaps = step.gap_schedule_ids.map((id) => schedules?.schedules.find((one) => one.id === id)?.name ?? id)
  return (
    <li className="border-line border-l-2 pl-3">
      <p className="font-semibold">
        {escalation.steps.one(index + 1)}{' '}
        <span className="font-normal text-muted">{waited === 0 ? text.atOnce : text.after(duration(waited))}</span>
      </p>
      {step.active ? (
        <>
          <ul>
            {step.users.map(({ reachable, ...person }) => (
              <li key={person.user_id} className="[overflow-wrap:anywhere]">
                {personText(person)} {!reachable && <span className="text-bad">{text.unreachable}</span>}
              </li>
            ))}
            {channelNames.map((name) => (
              <li key={name} className="[overflow-wrap:anywhere]">
                {text.channel(name)}
              </li>
            ))}
          </ul>
          {gaps.map((name) => (
            <p key={name} className="text-warn">
              {text.gap(name)}
            </p>
          ))}
        </>
      ) : (
        <p className="text-muted">{text.passedOver}</p>
      )}
    </li>
  )
}
