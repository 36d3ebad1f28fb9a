import { type Static, Type } from 'typebox'
import { IncidentTarget } from './incidents.ts'
import { Nullable, Ref, Timestamp } from './wire.ts'

export const PreviewIncident = Type.Object(
  { target: Ref(IncidentTarget), opened_at: Timestamp, resolved_at: Nullable(Timestamp) },
  { $id: 'PreviewIncident', description: 'An incident that a rule would have opened; null: it would be open still' },
)
export type PreviewIncident = Static<typeof PreviewIncident>

export const AlertRulePreview = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    step_seconds: Nullable(Type.Integer({ description: 'how finely it was looked at; null: each change of status' })),
    targets: Type.Integer({ description: 'monitors or servers that were looked at, at most 50, by name' }),
    has_more_targets: Type.Boolean(),
    would_open: Type.Integer({ description: 'how many in all; the newest 500 are told' }),
    incidents: Type.Array(Ref(PreviewIncident), { maxItems: 500 }),
  },
  { $id: 'AlertRulePreview', description: 'What a rule would have opened in the last seven days, newest first' },
)
export type AlertRulePreview = Static<typeof AlertRulePreview>
