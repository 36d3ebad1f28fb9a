import type {
  CreateStatusPostBody,
  PatchStatusPostBody,
  PatchStatusPostUpdateBody,
  StatusPost,
  StatusPostDraft,
  StatusPostItem,
  StatusPostList,
  StatusPostUpdate,
  StatusPostUpdateBody,
} from '../pages/status-page-posts.ts'
import type { CreatedSubscriber, CreateSubscriberBody, Subscriber, SubscriberList } from '../pages/status-page-subscribers.ts'
import { PAGE } from './common.ts'

const update: StatusPostUpdate = {
  id: 'pup_01m7z6c3t5r8w2x4y6z8a0b1ce',
  at: '2026-11-21T18:10:00.000Z',
  status: 'investigating',
  text: 'We are investigating why Shop does not respond since 19:06 CET.',
}
const item: StatusPostItem = {
  id: 'pst_01m7z6c3t5r8w2x4y6z8a0b1cf',
  type: 'incident',
  title: 'Shop is unavailable',
  status: 'investigating',
  impact: 'major',
  monitors: ['mon_01m7z6c3t5r8w2x4y6z8a0b1cd'],
  incident_id: null,
  starts_at: '2026-11-21T18:06:00.000Z',
  ends_at: null,
  resolved_at: null,
  created_at: '2026-11-21T18:10:00.000Z',
  updated_at: '2026-11-21T18:10:00.000Z',
}
const { title, impact, monitors, starts_at } = item
const draft = { type: 'incident', title, text: update.text, status: 'investigating', impact, monitors } as const

const subscriber: Subscriber = {
  id: 'sub_01m7z6c3t5r8w2x4y6z8a0b1cg',
  type: 'webhook',
  email: null,
  url: 'https://hooks.example.com/status',
  monitors: [],
  confirmed_at: '2026-11-21T18:10:00.000Z',
  created_at: '2026-11-21T18:10:00.000Z',
}

export const STATUS_POST_EXAMPLES = {
  CreateStatusPostBody: {
    incident: { type: 'incident', title, text: update.text, impact } satisfies CreateStatusPostBody,
    maintenance: {
      type: 'maintenance',
      title: 'New database',
      text: 'The shop is read-only for up to an hour.',
      starts_at: '2026-12-01T02:00:00.000Z',
      ends_at: '2026-12-01T03:00:00.000Z',
    } satisfies CreateStatusPostBody,
  },
  PatchStatusPostBody: { example: { impact: 'critical' } satisfies PatchStatusPostBody },
  StatusPost: { example: { ...item, updates: [update] } satisfies StatusPost },
  StatusPostItem: { example: item },
  StatusPostList: { example: { posts: [item], ...PAGE } satisfies StatusPostList },
  StatusPostUpdate: { example: update },
  StatusPostUpdateBody: { example: { status: 'resolved', text: 'The shop works again.' } satisfies StatusPostUpdateBody },
  PatchStatusPostUpdateBody: { example: { text: 'The shop works as usual again.' } satisfies PatchStatusPostUpdateBody },
  CreateSubscriberBody: {
    example: { type: 'webhook', url: 'https://hooks.example.com/status' } satisfies CreateSubscriberBody,
  },
  CreatedSubscriber: {
    example: { ...subscriber, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } satisfies CreatedSubscriber,
  },
  Subscriber: { example: subscriber },
  SubscriberList: { example: { subscribers: [subscriber], ...PAGE } satisfies SubscriberList },
  StatusPostDraft: { example: { ...draft, incident_id: null, starts_at } satisfies StatusPostDraft },
}
