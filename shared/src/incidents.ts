import { type Static, Type } from 'typebox'
import { AlertTargetTypeName, SeverityName } from './alert-rules.ts'
import { INCIDENT_EVENT_TYPES, INCIDENT_STATUSES } from './alert-types.ts'
import { IdOf } from './ids.ts'
import { MAX_COMMENT_LENGTH } from './limits.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from './wire.ts'

export const IncidentStatusName = Type.Enum([...INCIDENT_STATUSES], {
  $id: 'IncidentStatusName',
  description: 'The state of an incident',
})

export const IncidentTarget = Type.Object(
  { type: Ref(AlertTargetTypeName), id: Type.String(), name: Type.String() },
  { $id: 'IncidentTarget', description: 'The target with its name at the opening; it may be deleted' },
)

const Fields = {
  id: IdOf('incident'),
  rule_id: IdOf('alertRule', 'the rule that opened it; it may be deleted'),
  target: Ref(IncidentTarget),
  status: Ref(IncidentStatusName),
  severity: Ref(SeverityName),
  summary: Type.String({ description: 'what happened, in one line' }),
  silenced: Type.Boolean({
    description:
      'notifications are suppressed by a maintenance window or an offline server; they are sent when that ends, if the incident is still open',
  }),
  opened_at: Timestamp,
  acknowledged_at: Nullable(Timestamp),
  acknowledged_by: Nullable(IdOf('user', 'null also for an API key')),
  resolved_at: Nullable(Timestamp),
}

export const IncidentItem = Type.Object(Fields, { $id: 'IncidentItem', description: 'An incident as in lists' })
export type IncidentItem = Static<typeof IncidentItem>

export const IncidentEvent = Type.Object(
  { at: Timestamp, type: Type.Enum([...INCIDENT_EVENT_TYPES]), message: Type.String() },
  { $id: 'IncidentEvent', description: 'A step of an incident, or a comment' },
)
export type IncidentEvent = Static<typeof IncidentEvent>

export const Incident = Type.Object(
  {
    ...Fields,
    evidence: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'what was known when it opened; depends on the rule',
    }),
    timeline: Type.Array(Ref(IncidentEvent)),
  },
  { $id: 'Incident', description: 'An incident with its evidence and its timeline, oldest entry first' },
)
export type Incident = Static<typeof Incident>

export const IncidentListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...INCIDENT_STATUSES], { description: 'Only incidents of this status' })),
  },
  { additionalProperties: false },
)

export const IncidentList = Type.Object(
  { incidents: Type.Array(Ref(IncidentItem)), ...PageAnswer },
  { $id: 'IncidentList', description: 'A page of incidents, newest first' },
)
export type IncidentList = Static<typeof IncidentList>

const Comment = VisibleText(MAX_COMMENT_LENGTH, 'is added to the timeline')

export const IncidentStepBody = Type.Object(
  { comment: Type.Optional(Comment) },
  { $id: 'IncidentStepBody', description: 'Optional', additionalProperties: false },
)
export type IncidentStepBody = Static<typeof IncidentStepBody>

export const IncidentCommentBody = Type.Object(
  { comment: Comment },
  { $id: 'IncidentCommentBody', description: 'The comment', additionalProperties: false },
)
export type IncidentCommentBody = Static<typeof IncidentCommentBody>
