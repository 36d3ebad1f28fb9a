import { type Static, Type } from 'typebox'
import { AlertTargetTypeName, SeverityName } from './alert-rules.ts'
import { IdOf } from './ids.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved'] as const
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number]
export const INCIDENT_EVENT_TYPES = ['opened', 'silenced', 'unsilenced', 'acknowledged', 'resolved', 'comment'] as const
export type IncidentEventType = (typeof INCIDENT_EVENT_TYPES)[number]

export const IncidentStatusName = Type.Enum([...INCIDENT_STATUSES], {
  $id: 'IncidentStatusName',
  description: 'Whether somebody has seen it, and whether it is over',
})

export const IncidentTarget = Type.Object(
  { type: Ref(AlertTargetTypeName), id: Type.String(), name: Type.String() },
  { $id: 'IncidentTarget', description: 'What it is about, with its name of that time; it may be gone by now' },
)

const Fields = {
  id: IdOf('incident'),
  rule_id: IdOf('alertRule', 'the rule that opened it; it may be gone by now'),
  target: Ref(IncidentTarget),
  status: Ref(IncidentStatusName),
  severity: Ref(SeverityName),
  summary: Type.String({ description: 'what happened, in a line' }),
  silenced: Type.Boolean({
    description: 'in a maintenance window, or on a server that is told to be offline: told when that ends, if it is open then',
  }),
  opened_at: Timestamp,
  acknowledged_at: Nullable(Timestamp),
  acknowledged_by: Nullable(IdOf('user', 'null also where an API key did it')),
  resolved_at: Nullable(Timestamp),
}

export const IncidentItem = Type.Object(Fields, { $id: 'IncidentItem', description: 'An incident as lists have it' })
export type IncidentItem = Static<typeof IncidentItem>

export const IncidentEvent = Type.Object(
  { at: Timestamp, type: Type.Enum([...INCIDENT_EVENT_TYPES]), message: Type.String() },
  { $id: 'IncidentEvent', description: 'A step of an incident, or what somebody wrote' },
)
export type IncidentEvent = Static<typeof IncidentEvent>

export const Incident = Type.Object(
  {
    ...Fields,
    evidence: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'what was known when it opened; differs from rule to rule',
    }),
    timeline: Type.Array(Ref(IncidentEvent)),
  },
  { $id: 'Incident', description: 'An incident whole; the timeline begins with the oldest' },
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

const Comment = Type.String({ minLength: 1, maxLength: 2_000, description: 'goes into the timeline' })

export const IncidentStepBody = Type.Object(
  { comment: Type.Optional(Comment) },
  { $id: 'IncidentStepBody', description: 'May be left out', additionalProperties: false },
)
export type IncidentStepBody = Static<typeof IncidentStepBody>

export const IncidentCommentBody = Type.Object(
  { comment: Comment },
  { $id: 'IncidentCommentBody', description: 'What is to be written', additionalProperties: false },
)
export type IncidentCommentBody = Static<typeof IncidentCommentBody>
