import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { MAX_PAGE_MONITORS } from './status-page-choices.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp } from '../wire/wire.ts'

export const SUBSCRIBER_TYPES = ['email', 'browser', 'webhook', 'slack', 'teams'] as const
export type SubscriberType = (typeof SUBSCRIBER_TYPES)[number]
/** Of a page, confirmed or not. */
export const MAX_SUBSCRIBERS = 20_000
export const MAX_SUBSCRIBER_URL_LENGTH = 2_048

export const SubscriberTypeName = Type.Enum([...SUBSCRIBER_TYPES], {
  $id: 'SubscriberTypeName',
  description: 'How a subscriber is notified',
  examples: ['webhook'],
})

export const CreateSubscriberBody = Type.Object(
  {
    type: Type.Enum(['webhook', 'slack', 'teams']),
    url: Type.String({
      minLength: 1,
      maxLength: MAX_SUBSCRIBER_URL_LENGTH,
      description: 'where posts are sent',
      examples: ['https://hooks.example.com/status'],
    }),
    monitors: Type.Optional(
      Type.Array(Type.String({ maxLength: 200 }), {
        maxItems: MAX_PAGE_MONITORS,
        uniqueItems: true,
        description: 'ids of monitors on the page, whose posts it gets; none: of all',
      }),
    ),
  },
  {
    $id: 'CreateSubscriberBody',
    description: 'A service that gets the posts of a page. Visitors subscribe on the page itself',
    additionalProperties: false,
  },
)
export type CreateSubscriberBody = Static<typeof CreateSubscriberBody>

const Fields = {
  id: IdOf('subscriber'),
  type: Ref(SubscriberTypeName),
  email: Nullable(Type.String({ description: 'only for who may change the page; null for the other types' })),
  url: Nullable(
    Type.String({
      description: 'masked for who may not change the page; null for e-mail and browsers',
      examples: ['https://hooks.example.com/status'],
    }),
  ),
  monitors: Type.Array(IdOf('monitor'), { description: 'whose posts it gets; none: of all', examples: [[]] }),
  confirmed_at: Nullable({ ...Timestamp, description: 'null until the link that was sent to it was confirmed' }),
  created_at: Timestamp,
}

export const Subscriber = Type.Object(Fields, { $id: 'Subscriber', description: 'Who gets the posts of a status page' })
export type Subscriber = Static<typeof Subscriber>

export const CreatedSubscriber = Type.Object(
  {
    ...Fields,
    secret: Nullable(
      Secret({
        description: 'signs the requests of a webhook, see Standard Webhooks; returned only here',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ),
  },
  { $id: 'CreatedSubscriber', description: 'A new subscriber' },
)
export type CreatedSubscriber = Static<typeof CreatedSubscriber>

export const SubscriberListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const SubscriberList = Type.Object(
  { subscribers: Type.Array(Ref(Subscriber)), ...PageAnswer },
  { $id: 'SubscriberList', description: 'A page of subscribers, newest first' },
)
export type SubscriberList = Static<typeof SubscriberList>
