import type { Replay, ReplayBody, ReplayNotification, ReplaySetResult } from '../alerting/replays.ts'
import { USER_ID } from './common.ts'

const RULE_ID = 'alr_01m7z6t5yqf0s8v4x2k9c3bwhn'
const notification: ReplayNotification = {
  at: '2026-11-02T01:12:08.000Z',
  reason: 'policy',
  alert_rule_id: RULE_ID,
  alert_rule_name: 'Shop is down',
  target: { type: 'monitor', id: 'mon_01m7z5b2dqf4s8y3v6k9x0c1wh', name: 'Shop' },
  opened_at: '2026-11-02T01:12:08.000Z',
  resolved_at: '2026-11-02T01:20:00.000Z',
  step: 1,
  user_id: USER_ID,
  email: 'ada@example.com',
  channel_id: null,
  via: 'ntfy',
  held_until: null,
  at_night: true,
}
const counts = { notifications: 1, at_night: 1, held: 0, longest_held_seconds: 0 }
const result: ReplaySetResult = {
  name: null,
  incidents: 1,
  suppressed_by_dependency: 0,
  suppressed_by_maintenance: 0,
  never_notified: 0,
  ...counts,
  to_owners: 0,
  people: [{ user_id: USER_ID, email: 'ada@example.com', ...counts }],
  channels: [],
  not_replayed: [],
  list: [notification],
  has_more: false,
}
const quieter: ReplaySetResult = {
  ...result,
  name: 'after ten minutes',
  incidents: 0,
  notifications: 0,
  at_night: 0,
  people: [],
  list: [],
}

export const REPLAY_EXAMPLES = {
  ReplayBody: {
    example: {
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      sets: [{}, { name: 'after ten minutes', alert_rules: [{ id: RULE_ID, for_seconds: 600 }] }],
    } satisfies ReplayBody,
  },
  Replay: {
    example: {
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      sets: [result, quieter],
      only_in: [
        { notifications: 1, list: [notification], has_more: false },
        { notifications: 0, list: [], has_more: false },
      ],
    } satisfies Replay,
  },
}
