import { type Static, Type } from 'typebox'
import { IncidentTarget } from './incidents.ts'
import { LaterTimestamp, Nullable, Ref, Timestamp } from '../wire/wire.ts'

export const PreviewIncident = Type.Object(
  { target: Ref(IncidentTarget), opened_at: Timestamp, resolved_at: Nullable(LaterTimestamp) },
  {
    $id: 'PreviewIncident',
    description: 'An incident that a rule would have opened; `resolved_at` is null where it would still be open',
  },
)
export type PreviewIncident = Static<typeof PreviewIncident>

export const AlertRulePreview = Type.Object(
  {
    from: Timestamp,
    to: LaterTimestamp,
    step_seconds: Nullable(Type.Integer({ description: 'the resolution of the preview; null: every change of status' })),
    targets: Type.Integer({
      description: 'monitors or servers in the preview, at most 50, by name; series that the expression gave, at most 100',
      examples: [1],
    }),
    has_more_targets: Type.Boolean(),
    would_open: Type.Integer({ description: 'how many in all; the newest 500 are listed', examples: [1] }),
    incidents: Type.Array(Ref(PreviewIncident), { maxItems: 500 }),
  },
  {
    $id: 'AlertRulePreview',
    description:
      'The incidents that a rule would have opened in the last seven days, or 30 for days until something is full, newest first',
  },
)
export type AlertRulePreview = Static<typeof AlertRulePreview>
