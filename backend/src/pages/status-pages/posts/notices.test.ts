import { describe, expect, it } from 'vitest'
import { nextNoticeAt, noticeOf } from './notices.ts'
import type { PostState } from './state.ts'

const AT = Date.UTC(2026, 10, 29, 12)
const minutes = (count: number) => new Date(AT + count * 60_000)
/** From 12:00 to 13:00. */
const maintenance = (own: Partial<PostState> = {}): PostState => ({
  type: 'maintenance',
  status: 'scheduled',
  starts_at: minutes(0),
  ends_at: minutes(60),
  resolved_at: null,
  ...own,
})

describe('the times of a maintenance', () => {
  it.each([
    ['an hour before it starts', maintenance(), -90, -60],
    ['at its start, where the reminder is over', maintenance(), -60, 0],
    ['at its end while it is in progress', maintenance({ status: 'in_progress' }), 0, 60],
    ['at once where it has started unannounced', maintenance(), 10, 10],
    ['at once where it has ended unannounced', maintenance({ status: 'in_progress' }), 70, 70],
    ['at its reminder where it was moved into the future', maintenance({ status: 'in_progress' }), -90, -60],
    ['never after its end', maintenance({ status: 'completed' }), 60, null],
    ['never once it was ended', maintenance({ status: 'completed', resolved_at: minutes(-5) }), -3, null],
    ['never for an incident', { ...maintenance(), type: 'incident' as const, status: 'investigating' as const }, 0, null],
  ])('are examined %s', (_name, post, now, next) => {
    expect(nextNoticeAt(post, minutes(now))).toEqual(next === null ? null : minutes(next))
  })

  it.each([
    ['a reminder', maintenance(), -60, -60, 'reminder', true, 0],
    ['a reminder up to five minutes late', maintenance(), -60, -55, 'reminder', true, 0],
    ['no reminder later', maintenance(), -60, -54, undefined, true, 0],
    ['the start', maintenance(), 0, 0, 'in_progress', true, 60],
    ['the start in place of a reminder that was missed', maintenance(), -60, 20, 'in_progress', true, 60],
    ['the end alone after a pause over both', maintenance(), -60, 90, 'completed', true, null],
    ['the end', maintenance({ status: 'in_progress' }), 60, 60, 'completed', true, null],
    ['the end unsent after more than a day', maintenance({ status: 'in_progress' }), 60, 60 + 1441, 'completed', false, null],
    ['the start unsent after more than a day', maintenance({ ends_at: minutes(3000) }), 0, 1441, 'in_progress', false, 3000],
    ['nothing for a step that a member has announced', maintenance({ status: 'in_progress' }), 0, 0, undefined, true, 60],
    ['nothing once it was ended', maintenance({ status: 'completed', resolved_at: minutes(-5) }), 0, 0, undefined, true, null],
    [
      'that it is in progress again where its end was moved',
      maintenance({ status: 'completed' }),
      30,
      30,
      'in_progress',
      true,
      60,
    ],
  ])('announce %s', (_name, post, noticeAt, now, step, isSent, next) => {
    const nextAt = next === null ? null : minutes(next)
    expect(noticeOf(post, minutes(noticeAt), minutes(now))).toEqual({ ...(step && { step }), isSent, nextAt })
  })
})
