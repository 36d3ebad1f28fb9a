import type { Incident } from '@vedette/shared'
import { useQueryClient } from '@tanstack/react-query'
import { BellOff, BellRing, Check, Eye, MessageSquare, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, FormFault } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { dayAndClock } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.incidents.timeline
const ICONS = {
  opened: TriangleAlert,
  silenced: BellOff,
  unsilenced: BellRing,
  acknowledged: Eye,
  resolved: Check,
  comment: MessageSquare,
} as const

/** What happened, oldest first, and a field to add to it. */
export function Timeline({ incident }: { incident: Incident }) {
  const { can } = useViewer()
  return (
    <Panel title={words.title} flush>
      <ol className="divide-y divide-line border-line border-t">
        {incident.timeline.map(({ at, type, message }, index) => {
          const Icon = ICONS[type]
          // Several may have been written within one second.
          return (
            <li key={`${at} ${index}`} className="flex items-start gap-3 px-4 py-2.5">
              <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap justify-between gap-x-3 text-[0.92rem] text-muted">
                  <span>{words.steps[type] ?? type}</span>
                  <Instant at={at} format={dayAndClock} />
                </p>
                {message !== type && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{message}</p>}
              </div>
            </li>
          )
        })}
      </ol>
      {can('monitors:update') && <Write incidentId={incident.id} />}
    </Panel>
  )
}

function Write({ incidentId }: { incidentId: string }) {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [comment, setComment] = useState('')
  const [fault, setFault] = useState<string>()
  const write = async () => {
    try {
      const changed = await client.incidents.comment(incidentId, { comment: comment.trim() })
      queries.setQueryData([scope, 'incidents', incidentId], changed)
      setComment('')
      setFault(undefined)
    } catch (error) {
      setFault(sentenceOf(error))
    }
  }
  return (
    <form
      className="grid gap-2 border-line border-t px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        void write()
      }}
    >
      <Field label={words.comment} hint={words.commentHint}>
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            maxLength={2_000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
            className="field"
          />
        )}
      </Field>
      <FormFault>{fault}</FormFault>
      <Button type="submit" small className="justify-self-end" disabled={comment.trim() === ''}>
        {words.write}
      </Button>
    </form>
  )
}
