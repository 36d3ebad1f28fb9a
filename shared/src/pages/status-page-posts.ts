import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH } from '../wire/limits.ts'
import { MAX_PAGE_MONITORS, MAX_POST_TEXT, POST_STATUSES, POST_TYPES } from './status-page-choices.ts'
import { PostImpactName } from './status-pages.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

export const MAX_POST_UPDATES = 100
/** From `starts_at` to `ends_at`. */
export const MAX_MAINTENANCE_DAYS = 31

export const PostTypeName = Type.Enum([...POST_TYPES], { $id: 'PostTypeName', description: 'What a post is about' })

export const PostStatusName = Type.Enum([...POST_STATUSES.incident, ...POST_STATUSES.maintenance], {
  $id: 'PostStatusName',
  description: `An incident is ${POST_STATUSES.incident.join(', ')}; a maintenance is ${POST_STATUSES.maintenance.join(', ')}`,
})

const Monitors = Type.Array(Type.String({ maxLength: 200 }), {
  maxItems: MAX_PAGE_MONITORS,
  uniqueItems: true,
  description: 'ids of the monitors that it affects, which are on the page; none: it concerns the whole page',
})
const IncidentLink = Nullable(
  Type.String({ maxLength: 200, description: 'id of the incident that it is about; visitors do not see it' }),
)
const StartsAt = Type.String({
  format: 'date-time',
  description: 'when it began, or will begin; of an incident not in the future',
})
const EndsAt = Nullable(
  Type.String({
    format: 'date-time',
    description: `when a maintenance ends, at most ${MAX_MAINTENANCE_DAYS} days after it starts; null for an incident`,
  }),
)
const TITLE = { examples: ['Shop is unavailable'] }
const TEXT = { examples: ['We are investigating why Shop does not respond.'] }
const Text = VisibleText(MAX_POST_TEXT, { description: 'plain text; a blank line starts a new paragraph', ...TEXT })
const Notify = Type.Optional(Type.Boolean({ default: true, description: 'whether subscribers are notified of it' }))

export const CreateStatusPostBody = Type.Object(
  {
    type: Ref(PostTypeName),
    title: VisibleText(MAX_NAME_LENGTH, TITLE),
    text: Text,
    status: Type.Optional(Ref(PostStatusName)),
    impact: Type.Optional(Ref(PostImpactName)),
    monitors: Type.Optional(Monitors),
    incident_id: Type.Optional(IncidentLink),
    starts_at: Type.Optional(StartsAt),
    ends_at: Type.Optional(EndsAt),
    notify: Notify,
  },
  {
    $id: 'CreateStatusPostBody',
    description:
      'An announcement with its first update. The default of `status` is investigating, of a maintenance what follows from its times; that of `impact` follows from the affected monitors; a maintenance requires `starts_at` and `ends_at`',
    additionalProperties: false,
  },
)
export type CreateStatusPostBody = Static<typeof CreateStatusPostBody>

export const PatchStatusPostBody = Type.Object(
  {
    title: Type.Optional(VisibleText(MAX_NAME_LENGTH)),
    impact: Type.Optional(Ref(PostImpactName)),
    monitors: Type.Optional(Monitors),
    incident_id: Type.Optional(IncidentLink),
    starts_at: Type.Optional(StartsAt),
    ends_at: Type.Optional(EndsAt),
  },
  {
    $id: 'PatchStatusPostBody',
    description: 'Changes only the fields that are given; subscribers are not notified',
    examples: [{ impact: 'critical' }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchStatusPostBody = Static<typeof PatchStatusPostBody>

export const StatusPostUpdate = Type.Object(
  { id: IdOf('postUpdate'), at: Timestamp, status: Ref(PostStatusName), text: Type.String(TEXT) },
  { $id: 'StatusPostUpdate', description: 'A step of a post' },
)
export type StatusPostUpdate = Static<typeof StatusPostUpdate>

export const StatusPostUpdateBody = Type.Object(
  { text: Text, status: Type.Optional(Ref(PostStatusName)), notify: Notify },
  {
    $id: 'StatusPostUpdateBody',
    description: 'A step of a post; without `status` the status stays',
    examples: [{ status: 'resolved', text: 'The shop works again.' }],
    additionalProperties: false,
  },
)
export type StatusPostUpdateBody = Static<typeof StatusPostUpdateBody>

export const PatchStatusPostUpdateBody = Type.Object(
  { text: Text },
  { $id: 'PatchStatusPostUpdateBody', description: 'The corrected text of an update', additionalProperties: false },
)
export type PatchStatusPostUpdateBody = Static<typeof PatchStatusPostUpdateBody>

const Fields = {
  id: IdOf('post'),
  type: Ref(PostTypeName),
  title: Type.String(TITLE),
  status: Ref(PostStatusName),
  impact: Ref(PostImpactName),
  monitors: Type.Array(IdOf('monitor'), { description: 'they may be deleted' }),
  incident_id: Nullable(IdOf('incident')),
  starts_at: Timestamp,
  ends_at: Nullable(Timestamp, null),
  resolved_at: Nullable({ ...Timestamp, description: 'when an incident was resolved or a maintenance completed' }, null),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const StatusPostItem = Type.Object(Fields, { $id: 'StatusPostItem', description: 'A post as in lists' })
export type StatusPostItem = Static<typeof StatusPostItem>

export const StatusPost = Type.Object(
  { ...Fields, updates: Type.Array(Ref(StatusPostUpdate), { description: 'newest first' }) },
  { $id: 'StatusPost', description: 'An announcement on a status page' },
)
export type StatusPost = Static<typeof StatusPost>

export const StatusPostListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const StatusPostList = Type.Object(
  { posts: Type.Array(Ref(StatusPostItem)), ...PageAnswer },
  { $id: 'StatusPostList', description: 'A page of posts, newest first' },
)
export type StatusPostList = Static<typeof StatusPostList>

export const StatusPostDraftQuery = Type.Object(
  {
    incident: Type.Optional(Type.String({ maxLength: 200, description: 'Id of the incident that the post is about' })),
    monitor: Type.Optional(
      Type.String({ maxLength: 200, description: 'Id of the monitor that the post is about, in place of an incident' }),
    ),
  },
  { additionalProperties: false },
)
export type StatusPostDraftQuery = Static<typeof StatusPostDraftQuery>

export const StatusPostDraft = Type.Object(
  {
    type: Ref(PostTypeName),
    title: Type.String(TITLE),
    text: Type.String(TEXT),
    status: Ref(PostStatusName),
    impact: Ref(PostImpactName),
    monitors: Type.Array(IdOf('monitor')),
    incident_id: Nullable(IdOf('incident')),
    starts_at: Timestamp,
  },
  {
    $id: 'StatusPostDraft',
    description: 'A proposal for a post in the language of the page, with public names alone. It is stored nowhere',
  },
)
export type StatusPostDraft = Static<typeof StatusPostDraft>
