import { HOUR_MS, type PostImpact, type PostStatus, type PostType } from '@vedette/shared/tables'
import type {
  CreateStatusPostBody,
  PatchStatusPostBody,
  StatusPageTemplate,
  StatusPost,
  StatusPostDraft,
  StatusPostUpdateBody,
} from '@vedette/shared'
import { instantAt, localTimeAt } from '../../lib/time-zone.ts'

/** A post while it is written, with local times of the viewer. */
export interface PostInput {
  type: PostType
  title: string
  text: string
  /** Empty: it follows from the statuses of what is affected. */
  impact: PostImpact | ''
  status: PostStatus
  monitors: readonly string[]
  incident: string | null
  /** Empty: now. */
  starts: string
  /** Of a maintenance. */
  ends: string
  zone: string
  notify: boolean
}

export const newPost = (zone: string): PostInput => ({
  type: 'incident',
  title: '',
  text: '',
  impact: '',
  status: 'investigating',
  monitors: [],
  incident: null,
  starts: '',
  ends: '',
  zone,
  notify: true,
})

export const fromDraft = (draft: StatusPostDraft, zone: string): PostInput => ({
  ...newPost(zone),
  type: draft.type,
  title: draft.title,
  text: draft.text,
  impact: draft.impact,
  status: draft.status,
  monitors: draft.monitors,
  incident: draft.incident_id,
  starts: localTimeAt(Date.parse(draft.starts_at), zone),
})

/** A maintenance of two hours from the next full hour; an incident that begins now. */
export const withType = (type: PostType, nowMs: number, zone: string): Partial<PostInput> => {
  if (type === 'incident') return { type, status: 'investigating', starts: '', ends: '' }
  const start = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  return {
    type,
    status: 'scheduled',
    starts: localTimeAt(start, zone),
    ends: localTimeAt(start + 2 * HOUR_MS, zone),
  }
}

export const withTemplate = ({ title, text, impact }: StatusPageTemplate): Partial<PostInput> => ({
  title,
  text,
  ...(impact !== undefined && { impact }),
})

export const toPostInput = (post: StatusPost, zone: string): PostInput => ({
  ...newPost(zone),
  type: post.type,
  title: post.title,
  impact: post.impact,
  status: post.status,
  monitors: post.monitors,
  incident: post.incident_id,
  starts: localTimeAt(Date.parse(post.starts_at), zone),
  ends: post.ends_at === null ? '' : localTimeAt(Date.parse(post.ends_at), zone),
})

/** A local time that does not exist is sent as typed, so that the API names the field. */
function instant(local: string, zone: string): string {
  const ms = instantAt(local, zone)
  return ms === undefined ? local || '-' : new Date(ms).toISOString()
}

const timesOf = ({ type, starts, ends, zone }: PostInput): { starts_at?: string; ends_at?: string } => ({
  ...(starts !== '' && { starts_at: instant(starts, zone) }),
  ...(type === 'maintenance' && ends !== '' && { ends_at: instant(ends, zone) }),
})

export function toPostBody(input: PostInput): CreateStatusPostBody {
  const { type, title, text, impact, status, monitors, incident, notify } = input
  return {
    type,
    title: title.trim(),
    text: text.trim(),
    // That of a maintenance follows from its times.
    ...(type === 'incident' && { status }),
    ...(impact !== '' && { impact }),
    monitors: [...monitors],
    ...(incident !== null && { incident_id: incident }),
    ...timesOf(input),
    notify,
  }
}

export function toPostPatch(input: PostInput): PatchStatusPostBody {
  const { title, impact, monitors } = input
  return { title: title.trim(), ...(impact !== '' && { impact }), monitors: [...monitors], ...timesOf(input) }
}

/** The times that a maintenance requires. */
export const missingTimes = ({ type, starts, ends }: PostInput): string[] =>
  type === 'incident' ? [] : [...(starts === '' ? ['starts_at'] : []), ...(ends === '' ? ['ends_at'] : [])]

/** An update while it is written. */
export interface UpdateInput {
  text: string
  status: PostStatus
  notify: boolean
}

export const toUpdateBody = ({ text, status, notify }: UpdateInput): StatusPostUpdateBody => ({
  text: text.trim(),
  status,
  notify,
})

const ENDED: ReadonlySet<PostStatus> = new Set(['resolved', 'completed'])
export const isEnd = (status: PostStatus): boolean => ENDED.has(status)
