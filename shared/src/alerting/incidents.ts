import { type Static, Type } from 'typebox'
import { NullablePersonName } from '../access/auth.ts'
import { SeverityName } from './alert-rules.ts'
import {
  CAUSE_KINDS,
  INCIDENT_EVENT_TYPES,
  INCIDENT_SORTS,
  INCIDENT_STATUSES,
  RULE_TARGET_TYPES,
  SEVERITIES,
} from './alert-types.ts'
import { MAX_ALERT_LABELS, MAX_LABEL_TAG_LENGTH } from './alert-source-types.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { MAX_AFFECTED, MAX_CHILD_INCIDENTS, MAX_COMMENT_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import { Counts, EmailText, Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

/** How long an incident can be snoozed. */
export const SNOOZE_SECONDS = { minimum: 300, maximum: 604_800 } as const

export const IncidentStatusName = Type.Enum([...INCIDENT_STATUSES], {
  $id: 'IncidentStatusName',
  description: 'The state of an incident',
})

export const IncidentTargetTypeName = Type.Enum([...RULE_TARGET_TYPES, 'slo', 'external'], {
  $id: 'IncidentTargetTypeName',
  description: 'The type of the target of an incident; `external`: what an alert source reports',
})

export const IncidentTarget = Type.Object(
  {
    type: Ref(IncidentTargetTypeName),
    id: Type.String({ examples: [exampleId('monitor')] }),
    name: Type.String({ examples: ['Shop'] }),
    url: Type.Optional(
      Nullable(Type.String({ description: 'of `external`: the page of the sender about it, http or https; null: none' })),
    ),
  },
  { $id: 'IncidentTarget', description: 'The target with its name at the opening; it may be deleted' },
)

export const INCIDENT_ORIGINS = ['rule', 'slo', 'source'] as const

export const IncidentOrigin = Type.Object(
  {
    type: Type.Enum([...INCIDENT_ORIGINS], {
      description: '`rule`: an alert rule; `slo`: the burn-rate alert of an SLO; `source`: an alert source',
      examples: ['rule'],
    }),
    id: Type.String({ examples: [exampleId('alertRule')] }),
  },
  { $id: 'IncidentOrigin', description: 'What opened the incident; it may be deleted' },
)

export const IncidentCause = Type.Object(
  {
    kind: Type.Enum([...CAUSE_KINDS], {
      description:
        '`shared_tag`: most servers with a tag are offline; `parent`: something that the target depends on is down; `same_target`: rules say the same of one target; `slo`: several windows of one SLO; `labels`: alerts of one source with the labels that it groups by',
      examples: ['shared_tag'],
    }),
    text: Type.String({ examples: ['servers with the tag site:berlin are offline'] }),
  },
  { $id: 'IncidentCause', description: 'Why incidents are one story' },
)
export type IncidentCause = Static<typeof IncidentCause>

const SUMMARY = 'Shop is down: shop.example.com refused the connection'

export type IncidentTarget = Static<typeof IncidentTarget>

const Fields = {
  id: IdOf('incident'),
  rule_id: Nullable(IdOf('alertRule', 'the rule that opened it; it may be deleted. Null: an alert source did')),
  origin: Ref(IncidentOrigin),
  target: Ref(IncidentTarget),
  status: Ref(IncidentStatusName),
  severity: Ref(SeverityName),
  summary: Type.String({ description: 'what happened, in one line', examples: [SUMMARY] }),
  silenced: Type.Boolean({
    description:
      'nobody is notified: a maintenance window is active, something that the target depends on is down, or that is not known yet; it is notified when that ends, if it is still open',
  }),
  parent_id: Nullable(IdOf('incident', 'the incident of what the target depends on, while which it opened'), null),
  story_id: Nullable(IdOf('incident', 'the first of the incidents with the same cause; null: it is alone'), null),
  cause: Type.Union([Ref(IncidentCause), Type.Null()]),
  labels: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: `those of the alert of an alert source, at most ${MAX_ALERT_LABELS}; none of other incidents`,
    examples: [{}],
  }),
  flapping: Type.Boolean({ description: 'the status of the target alternates; nobody is notified of each change' }),
  opened_at: Timestamp,
  acknowledged_at: Nullable(Timestamp, null),
  acknowledged_by: Nullable(IdOf('user', 'null also for an API key'), null),
  resolved_at: Nullable(Timestamp, null),
}

export const IncidentItem = Type.Object(Fields, { $id: 'IncidentItem', description: 'An incident as in lists' })
export type IncidentItem = Static<typeof IncidentItem>

/** Of `group=story`. */
const StoryFields = {
  incident_count: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'with `group=story`: how many incidents of the story match the query',
      examples: [1],
    }),
  ),
  affected: Type.Optional(
    Type.Object(
      {
        total: Type.Integer({ minimum: 1, description: 'the number of targets', examples: [1] }),
        targets: Type.Array(Ref(IncidentTarget), { description: `the first ${MAX_AFFECTED}, by name` }),
      },
      { description: 'with `group=story`: what the incidents are about' },
    ),
  ),
}

export const IncidentListItem = Type.Object(
  { ...Fields, ...StoryFields },
  { $id: 'IncidentListItem', description: 'An incident, or with `group=story` the most severe of a story' },
)
export type IncidentListItem = Static<typeof IncidentListItem>

export const IncidentPerson = Type.Object(
  { id: IdOf('user'), email: EmailText, name: NullablePersonName },
  { $id: 'IncidentPerson', description: 'A user who did something to an incident, also one who has left the organization' },
)
export type IncidentPerson = Static<typeof IncidentPerson>

export const IncidentEvent = Type.Object(
  {
    at: Timestamp,
    type: Type.Enum([...INCIDENT_EVENT_TYPES]),
    message: Type.String({ examples: [SUMMARY] }),
    user: Type.Optional({
      ...Ref(IncidentPerson),
      description: 'who did it; absent where no user did, and once the account is deleted',
    }),
  },
  { $id: 'IncidentEvent', description: 'A step of an incident, or a comment' },
)
export type IncidentEvent = Static<typeof IncidentEvent>

export const Incident = Type.Object(
  {
    ...Fields,
    acknowledged_by_user: Type.Optional({
      ...Ref(IncidentPerson),
      description: 'the user of `acknowledged_by`; absent where there is none, and once the account is deleted',
    }),
    evidence: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'what was known when it opened; depends on the rule',
      examples: [{ status: 'down', reason: 'shop.example.com refused the connection' }],
    }),
    timeline: Type.Array(Ref(IncidentEvent)),
    children: Type.Array(Ref(IncidentItem), {
      description: `incidents that opened while it was open, of what depends on the target; the first ${MAX_CHILD_INCIDENTS}`,
      examples: [[]],
    }),
    child_count: Type.Integer({ minimum: 0, description: 'the number of all of them' }),
  },
  { $id: 'Incident', description: 'An incident with its evidence and its timeline, oldest entry first' },
)
export type Incident = Static<typeof Incident>

export const IncidentListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(
      Type.Array(Type.Enum([...INCIDENT_STATUSES]), {
        maxItems: INCIDENT_STATUSES.length,
        description: 'Only incidents of this status; repeat it for any of several',
      }),
    ),
    severity: Type.Optional(Type.Enum([...SEVERITIES], { description: 'Only incidents of this severity' })),
    target: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Only incidents of the monitor, server, SLO, series or external target with this id',
      }),
    ),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_LABEL_TAG_LENGTH }), {
        maxItems: MAX_TAGS,
        description:
          'Only incidents whose target has this tag now, or that have it from an alert source, whose labels are tags as `label:team=shop`; repeat it to require several tags',
      }),
    ),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Part of the summary or of the name of the target, case-insensitive',
      }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only incidents that were not resolved before this instant' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Only incidents that opened before this instant' })),
    sort: Type.Optional(
      Type.Enum(
        INCIDENT_SORTS.flatMap((name) => [name, `-${name}` as const]),
        {
          description:
            'Order of the list, descending with a leading `-`; the default is newest first. `severity`: the most severe first, then the newest',
        },
      ),
    ),
    group: Type.Optional(
      Type.Enum(['story'], {
        description: '`story`: one item for all incidents with one cause, with `incident_count` and `affected`',
      }),
    ),
    story: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Only incidents of the story of this `story_id`' }),
    ),
    include: Type.Optional(Type.Enum(['counts'], { description: '`counts`: adds the numbers of incidents by status' })),
  },
  { additionalProperties: false },
)

export type IncidentListQuery = Static<typeof IncidentListQuery>

export const IncidentList = Type.Object(
  { incidents: Type.Array(Ref(IncidentListItem)), ...PageAnswer, counts: Counts(INCIDENT_STATUSES) },
  { $id: 'IncidentList', description: 'A page of incidents, newest first' },
)
export type IncidentList = Static<typeof IncidentList>

const Comment = VisibleText(MAX_COMMENT_LENGTH, { description: 'is added to the timeline', examples: ['It was the switch'] })

export const IncidentStepBody = Type.Object(
  { comment: Type.Optional(Comment) },
  { $id: 'IncidentStepBody', description: 'Optional', additionalProperties: false },
)
export type IncidentStepBody = Static<typeof IncidentStepBody>

export const AcknowledgeIncidentBody = Type.Object(
  {
    comment: Type.Optional(Comment),
    snooze_seconds: Type.Optional(
      Type.Integer({
        ...SNOOZE_SECONDS,
        description: 'the incident opens again if it is not resolved by then; default: as its escalation policy says, else never',
        examples: [3_600],
      }),
    ),
  },
  { $id: 'AcknowledgeIncidentBody', description: 'Optional', additionalProperties: false },
)
export type AcknowledgeIncidentBody = Static<typeof AcknowledgeIncidentBody>

export const IncidentCommentBody = Type.Object(
  { comment: Comment },
  { $id: 'IncidentCommentBody', description: 'The comment', additionalProperties: false },
)
export type IncidentCommentBody = Static<typeof IncidentCommentBody>
