import { type Static, Type } from 'typebox'
import { SeverityName } from './alert-rules.ts'
import { INCIDENT_EVENT_TYPES } from './alert-types.ts'
import { IncidentCause, IncidentStatusName, IncidentTarget } from './incidents.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_AFFECTED, MAX_STORY_EVENTS } from '../wire/limits.ts'
import { Nullable, Ref, Timestamp } from '../wire/wire.ts'

/** In addition to the steps of incidents. */
export const STORY_EVENT_KINDS = [
  ...INCIDENT_EVENT_TYPES,
  'annotation',
  'change',
  'restart',
  'update',
  'backend',
  'post',
] as const
export type StoryEventKind = (typeof STORY_EVENT_KINDS)[number]

export const StoryEvent = Type.Object(
  {
    at: Timestamp,
    kind: Type.Enum([...STORY_EVENT_KINDS], {
      description:
        'a step of an incident, `annotation`: what happened, by `POST /v1/annotations`; `change`: of the configuration; `restart` of a server; `update` of the agent of a server; `backend`: an instance of Vedette started, or ended without notice; `post` of a status page',
    }),
    text: Type.String({ examples: ['Shop is down: shop.example.com refused the connection'] }),
    count: Type.Integer({
      minimum: 1,
      description: 'the number of incidents that did it within a minute of each other',
      examples: [1],
    }),
    targets: Type.Array(Type.String(), { description: 'the names of the first of what it is about', examples: [['Shop']] }),
    actor: Nullable(Type.String({ description: 'the person who did it: name and e-mail, or the e-mail alone' }), null),
    url: Nullable(Type.String({ description: 'where people read more' }), null),
  },
  { $id: 'StoryEvent', description: 'What happened before, during and after a story' },
)
export type StoryEvent = Static<typeof StoryEvent>

export const IncidentStory = Type.Object(
  {
    incident_id: IdOf('incident', 'the one of the request'),
    story_id: Nullable(IdOf('incident', 'the first of the incidents with the same cause; null: it is alone'), null),
    title: Type.String({ examples: ['Shop is down: shop.example.com refused the connection'] }),
    cause: Type.Union([Ref(IncidentCause), Type.Null()]),
    status: Ref(IncidentStatusName),
    severity: Ref(SeverityName),
    opened_at: Timestamp,
    resolved_at: Nullable(Timestamp, null),
    incident_count: Type.Integer({ minimum: 1, examples: [1] }),
    affected: Type.Object({
      total: Type.Integer({ minimum: 1, examples: [1] }),
      targets: Type.Array(Ref(IncidentTarget), { description: `the first ${MAX_AFFECTED}` }),
    }),
    notified: Type.Array(
      Type.Object({
        name: Type.String({
          description: 'of the channel, or of the person: name and e-mail, or the e-mail alone',
          examples: ['ops'],
        }),
        type: Type.String({ description: 'the way: the type of the channel', examples: ['slack'] }),
      }),
      { description: 'who was notified and by which way', examples: [[]] },
    ),
    events: Type.Array(Ref(StoryEvent), { description: `the oldest first, from an hour before; at most ${MAX_STORY_EVENTS}` }),
    has_more: Type.Boolean({ description: 'more happened than `events` has' }),
  },
  { $id: 'IncidentStory', description: 'All incidents with one cause on one line of time' },
)
export type IncidentStory = Static<typeof IncidentStory>

export const PostMortem = Type.String({
  $id: 'PostMortem',
  description: 'A post-mortem to complete',
  examples: ['# Shop is down\n'],
})

export const IncidentStoryQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum(['json', 'markdown'], { default: 'json', description: '`markdown`: a post-mortem to complete' }),
    ),
  },
  { additionalProperties: false },
)
export type IncidentStoryQuery = Static<typeof IncidentStoryQuery>
