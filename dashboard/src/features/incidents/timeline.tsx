import type { Incident } from '@vedette/shared'
import { MAX_COMMENT_LENGTH } from '@vedette/shared/tables'
import { Activity, BellOff, BellRing, Check, Eye, MessageSquare, TriangleAlert } from '../../components/icons.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { dayAndClock } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'

const text = messages.incidents.timeline
const ICONS = {
  opened: TriangleAlert,
  silenced: BellOff,
  unsilenced: BellRing,
  flapping: Activity,
  stable: Activity,
  notified: BellRing,
  acknowledged: Eye,
  reopened: TriangleAlert,
  resolved: Check,
  comment: MessageSquare,
} as const

/** The steps of the incident, oldest first, and a form for comments. */
export function Timeline({ incident }: { incident: Incident }) {
  const { can } = useViewer()
  return (
    <Panel title={text.title} flush>
      <ol className="divide-y divide-line border-line border-t">
        {incident.timeline.map(({ at, type, message }, index) => {
          const Icon = ICONS[type]
          // The index as well: several steps may have the same time.
          return (
            <li key={`${at} ${index}`} className="flex items-start gap-3 px-4 py-2.5">
              <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap justify-between gap-x-3 text-[0.92rem] text-muted">
                  <span>{text.steps[type] ?? type}</span>
                  <Instant at={at} format={dayAndClock} />
                </p>
                {message !== type && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{message}</p>}
              </div>
            </li>
          )
        })}
      </ol>
      {can('monitors:update') && <AddComment incidentId={incident.id} />}
    </Panel>
  )
}

function AddComment({ incidentId }: { incidentId: string }) {
  const { client } = useViewer()
  const cache = useCache()
  const form = useForm({ comment: '' }, async ({ comment }) => {
    cache.set(['incidents', incidentId], await client.incidents.comment(incidentId, { comment: comment.trim() }))
    form.change({ comment: '' })
  })
  const { comment } = form.input
  return (
    <Form
      form={form}
      action={text.addComment}
      variant="plain"
      isDisabled={comment.trim() === ''}
      className="border-line border-t px-4 py-3"
    >
      <Field label={text.comment} hint={text.commentHint}>
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            maxLength={MAX_COMMENT_LENGTH}
            value={comment}
            onChange={(event) => form.change({ comment: event.target.value })}
            className="field"
          />
        )}
      </Field>
    </Form>
  )
}
