import type { StatusPost, StatusPostDraft } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { fromDraft, missingTimes, newPost, toPostBody, toPostInput, toPostPatch, withTemplate, withType } from './post-input.ts'

const ZONE = 'Europe/Berlin'
const POST: StatusPost = {
  id: 'pst_1',
  type: 'maintenance',
  title: 'Upgrade',
  status: 'scheduled',
  impact: 'minor',
  monitors: ['mon_1'],
  incident_id: null,
  starts_at: '2026-12-01T22:00:00.000Z',
  ends_at: '2026-12-02T01:00:00.000Z',
  resolved_at: null,
  created_at: '2026-11-22T09:31:12.000Z',
  updated_at: '2026-11-22T09:31:12.000Z',
  updates: [],
}

describe('the editor of posts', () => {
  it('sends of a new incident nothing that follows by itself', () => {
    const input = { ...newPost(ZONE), title: ' Shop is down ', text: 'We look at it.\n' }
    expect(toPostBody(input)).toEqual({
      type: 'incident',
      title: 'Shop is down',
      text: 'We look at it.',
      status: 'investigating',
      monitors: [],
      notify: true,
    })
  })

  it('keeps everything of a draft', () => {
    const draft: StatusPostDraft = {
      type: 'incident',
      title: 'Shop is down',
      text: 'Since 10:00.',
      status: 'resolved',
      impact: 'major',
      monitors: ['mon_1'],
      incident_id: 'inc_1',
      starts_at: '2026-11-22T09:31:00.000Z',
    }
    expect(toPostBody(fromDraft(draft, ZONE))).toEqual({ ...draft, notify: true })
  })

  it('proposes two hours of maintenance from the next full hour, and requires its times', () => {
    const input = { ...newPost(ZONE), ...withType('maintenance', Date.parse('2026-07-01T10:20:00Z'), ZONE) }
    expect(toPostBody(input)).toMatchObject({ starts_at: '2026-07-01T11:00:00.000Z', ends_at: '2026-07-01T13:00:00.000Z' })
    expect(toPostBody(input)).not.toHaveProperty('status')
    expect(missingTimes({ ...input, starts: '', ends: '' })).toEqual(['starts_at', 'ends_at'])
    const incident = { ...input, ...withType('incident', 0, ZONE) }
    expect([missingTimes(incident), Object.keys(toPostBody(incident))]).toEqual([[], expect.not.arrayContaining(['ends_at'])])
  })

  it('sends a local time that does not exist as it was typed', () => {
    const input = { ...toPostInput(POST, ZONE), starts: '2026-03-29T02:30' }
    expect(toPostPatch(input)).toMatchObject({ starts_at: '2026-03-29T02:30' })
  })

  it('takes title, text and impact of a template', () => {
    const template = { name: 'Outage', title: 'Something is down', text: 'We look at it.' }
    expect(withTemplate(template)).toEqual({ title: 'Something is down', text: 'We look at it.' })
    expect(withTemplate({ ...template, impact: 'major' })).toMatchObject({ impact: 'major' })
  })

  it('changes nothing of a post that is saved without changes', () => {
    const { title, impact, monitors, starts_at, ends_at } = POST
    expect(toPostPatch(toPostInput(POST, ZONE))).toEqual({ title, impact, monitors, starts_at, ends_at })
  })
})
