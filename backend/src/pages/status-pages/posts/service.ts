import { isDeepStrictEqual } from 'node:util'
import {
  type CreateStatusPostBody,
  MAX_POST_UPDATES,
  type PatchStatusPostBody,
  type PatchStatusPostUpdateBody,
  type StatusPost,
  type StatusPostItem,
  type StatusPostList,
  type StatusPostUpdate,
  type StatusPostUpdateBody,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../../access/auth/index.ts'
import { announceChange, type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../../platform/errors.ts'
import { encodeId, newId, parseId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { instantAt } from '../../../platform/time/instant.ts'
import { type PageMonitor, readPageMonitors } from '../reading/store.ts'
import { findPage, lockPage } from '../pages/store.ts'
import { enqueueStep } from '../subscribers/store.ts'
import { nextNoticeAt } from './notices.ts'
import { faultsOf, impactOf, type PostState, resolvedAt, statusAt, stepFault, withStatus } from './state.ts'
import * as store from './store.ts'

export interface PostDeps {
  db: Db
  clock: Clock
}

/** A post by its page. */
export interface PostKey {
  pageId: string
  id: string
}

/** Of one page. A post a day fills it in 13 years. */
const MAX_POSTS = 5_000

/** One page of the posts of a status page, newest first. Throws not_found across organizations. */
export async function listPosts(deps: PostDeps, tenant: Tenant, pageId: string, request: PageRequest): Promise<StatusPostList> {
  if (!(await findPage(deps.db, tenant.number, pageId))) throw notFound()
  const { total, rows } = await store.listPosts(deps.db, tenant.number, pageId, request)
  return { posts: rows.map((row) => toItem(row, deps.clock.now())), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getPost({ db, clock }: PostDeps, tenant: Tenant, { pageId, id }: PostKey): Promise<StatusPost> {
  const row = await store.findPost(db, tenant.number, pageId, id)
  if (!row) throw notFound()
  const updates = await store.listUpdates(db, tenant.number, id)
  return { ...toItem(row, clock.now()), updates: updates.map(toUpdate) }
}

/** Locks a post and its page, always in this order. Undefined where there is none. */
export async function lockPost(db: Db, { number }: Tenant, { pageId, id }: PostKey) {
  const page = await lockPage(db, number, pageId)
  const post = page && (await store.lockPost(db, number, pageId, id))
  return post && { page, post }
}

/** Throws not_found across organizations, validation_error, and conflict where the page has too many posts. */
export async function createPost(
  deps: PostDeps,
  actor: Actor<Principal>,
  pageId: string,
  body: CreateStatusPostBody,
): Promise<StatusPost> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const page = await lockPage(db, tenant.number, pageId)
    if (!page) throw notFound()
    const at = new Date(deps.clock.now())
    const { type, title } = body
    const onPage = await readPageMonitors(db, tenant.number, page)
    const change = await columnsOf(db, tenant, body, onPage, [])
    if (type === 'maintenance' && change.starts_at === undefined)
      throw invalid({ path: 'starts_at', message: 'is required for a maintenance' })
    const impact = body.impact ?? (type === 'incident' ? impactNow(onPage, change.monitors ?? []) : 'none')
    const defaults = { monitors: [], incident_id: null, starts_at: at, ends_at: null, resolved_at: null }
    const firstStatus = type === 'incident' ? 'investigating' : 'scheduled'
    const planned = { ...defaults, ...change, type, title, impact, status: body.status ?? firstStatus }
    requireNone(faultsOf(planned, at))
    const status = body.status ?? statusAt(planned, at.getTime())
    const { notify = true } = body
    const post = withNotice({ ...withStatus(planned, status, at), notifies: notify }, at)
    requireNone(stepFault(post, at))
    if ((await store.countPosts(db, tenant.number, pageId, MAX_POSTS)) === MAX_POSTS)
      throw conflict(`At most ${MAX_POSTS} posts per status page are allowed. Delete one first.`)
    const id = newId()
    await store.insertPost(db, tenant.number, pageId, { ...post, id }, at)
    const updateId = newId()
    await store.insertUpdate(db, tenant.number, id, { id: updateId, at, status, text: body.text })
    if (notify) await enqueueStep(db, tenant.number, { pageId, postId: id, updateId, monitors: post.monitors }, at)
    await record(db, tenant, actor, 'status_post.created', { pageId, id }, { title, type, status }, at)
    return getPost({ ...deps, db }, tenant, { pageId, id })
  })
}

/** Changes what the body names. Throws not_found across organizations, validation_error. */
export async function patchPost(
  deps: PostDeps,
  actor: Actor<Principal>,
  key: PostKey,
  body: PatchStatusPostBody,
): Promise<StatusPost> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const { page, post } = (await lockPost(db, tenant, key)) ?? {}
    if (!page || !post) throw notFound()
    const at = new Date(deps.clock.now())
    const onPage = body.monitors ? await readPageMonitors(db, tenant.number, page) : []
    const change = await columnsOf(db, tenant, body, onPage, post.monitors)
    requireNone(faultsOf({ ...post, ...change }, at))
    const names = Object.keys(change) as (keyof store.PostColumns)[]
    const changed = names.filter((name) => !isDeepStrictEqual(post[name], change[name]))
    if (changed.length > 0) {
      await store.updatePost(db, tenant.number, key.id, { ...change, ...retimed(post, { ...post, ...change }, at) }, at)
      const details = { title: change.title ?? post.title, changed: changed.toSorted() }
      await record(db, tenant, actor, 'status_post.updated', key, details, at)
    }
    return getPost({ ...deps, db }, tenant, key)
  })
}

/** Throws not_found across organizations. */
export async function deletePost(deps: PostDeps, actor: Actor<Principal>, key: PostKey): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const { post } = (await lockPost(db, tenant, key)) ?? {}
    if (!post) throw notFound()
    await store.deletePost(db, tenant.number, key.id)
    await record(db, tenant, actor, 'status_post.deleted', key, { title: post.title }, new Date(deps.clock.now()))
  })
}

/**
 * Adds a step to a post, which gets its status; one that was ended is open again with any other status. Throws not_found across
 * organizations, validation_error, and conflict where the post has too many updates.
 */
export async function addUpdate(
  deps: PostDeps,
  actor: Actor<Principal>,
  key: PostKey,
  body: StatusPostUpdateBody,
): Promise<StatusPostUpdate> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const { post } = (await lockPost(db, tenant, key)) ?? {}
    if (!post) throw notFound()
    const at = new Date(deps.clock.now())
    const { text, status = statusAt(post, at.getTime()), notify = true } = body
    const { id: _id, created_at: _created, updated_at: _updated, ...columns } = post
    const change = withStatus(columns, status, at)
    requireNone(faultsOf(change, at))
    requireNone(stepFault(change, at))
    if ((await store.listUpdates(db, tenant.number, key.id)).length >= MAX_POST_UPDATES)
      throw conflict(`At most ${MAX_POST_UPDATES} updates per post are allowed. Create a new post.`)
    const update = { id: newId(), at, status, text }
    await store.insertUpdate(db, tenant.number, key.id, update)
    await store.updatePost(db, tenant.number, key.id, { ...change, ...retimed(post, change, at) }, at)
    const step = { pageId: key.pageId, postId: key.id, updateId: update.id, monitors: post.monitors }
    if (notify) await enqueueStep(db, tenant.number, step, at)
    await record(db, tenant, actor, 'status_post.update_added', key, { title: post.title, status }, at)
    return toUpdate(update)
  })
}

/** Corrects the text of an update. Throws not_found across organizations. */
export async function correctUpdate(
  deps: PostDeps,
  actor: Actor<Principal>,
  key: PostKey,
  updateId: string,
  { text }: PatchStatusPostUpdateBody,
): Promise<StatusPostUpdate> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const { post } = (await lockPost(db, tenant, key)) ?? {}
    const update = post && (await store.updateText(db, tenant.number, key.id, updateId, text))
    if (!post || !update) throw notFound()
    const at = new Date(deps.clock.now())
    await store.updatePost(db, tenant.number, key.id, {}, at)
    await record(db, tenant, actor, 'status_post.update_corrected', key, { title: post.title }, at)
    return toUpdate(update)
  })
}

/** With the time at which its own times are examined. */
const withNotice = <T extends PostState & { notifies: boolean }>(post: T, at: Date): T & { notice_at: Date | null } => ({
  ...post,
  notice_at: post.notifies ? nextNoticeAt(post, at) : null,
})

/** What a change of its times or its status changes as well. One that was moved into the future is scheduled again. */
function retimed(before: store.PostRow, after: store.PostColumns, at: Date): Partial<store.PostColumns> {
  const names = ['status', 'starts_at', 'ends_at', 'resolved_at'] as const
  if (names.every((name) => isDeepStrictEqual(before[name], after[name]))) return {}
  const status = statusAt(after, at.getTime()) === 'scheduled' ? 'scheduled' : after.status
  return { status, notice_at: withNotice({ ...after, status }, at).notice_at }
}

/** Records a change of a post, and announces its page to all instances: their copies of it are renewed. */
async function record(db: Db, tenant: Tenant, actor: Actor, action: string, { pageId, id }: PostKey, details: object, at: Date) {
  const about = { ...details, page_id: encodeId('statusPage', pageId) }
  await recordAudit(db, tenant.number, actor, auditEntry(action, 'post', id, about), at)
  await announceChange(db, 'status_page', [pageId])
}

function impactNow(onPage: readonly PageMonitor[], monitors: readonly string[]) {
  const affected = onPage.filter(({ id }) => monitors.includes(id))
  return impactOf(
    affected.map(({ status }) => status),
    onPage.map(({ status }) => status),
  )
}

/** The columns that a body names. A monitor that has left the page may stay on a post. */
async function columnsOf(
  db: Db,
  tenant: Tenant,
  { title, impact, monitors, incident_id: incidentId, starts_at: startsAt, ends_at: endsAt }: PatchStatusPostBody,
  onPage: readonly PageMonitor[],
  onPost: readonly string[],
): Promise<Partial<store.PostColumns>> {
  return {
    ...(title !== undefined && { title }),
    ...(impact !== undefined && { impact }),
    ...(monitors && { monitors: monitorsOf(monitors, new Set([...onPage.map(({ id }) => id), ...onPost])) }),
    ...(incidentId !== undefined && { incident_id: incidentId === null ? null : await incidentOf(db, tenant, incidentId) }),
    ...(startsAt !== undefined && { starts_at: instantAt('starts_at', startsAt) }),
    ...(endsAt !== undefined && { ends_at: endsAt === null ? null : instantAt('ends_at', endsAt) }),
  }
}

function monitorsOf(monitors: readonly string[], allowed: ReadonlySet<string>): string[] {
  const parsed = monitors.map((id) => parseId('monitor', id))
  const faults = parsed.flatMap((id, index) =>
    id !== undefined && allowed.has(id) ? [] : [{ path: `monitors.${index}`, message: 'is not a monitor of this status page' }],
  )
  requireNone(faults)
  return parsed as string[]
}

async function incidentOf(db: Db, { number }: Tenant, text: string): Promise<string> {
  const id = parseId('incident', text)
  if (id === undefined || !(await store.findLinkedIncident(db, number, id)))
    throw invalid({ path: 'incident_id', message: 'is not an incident of this organization' })
  return id
}

function requireNone(faults: Parameters<typeof invalid>): void {
  if (faults.length > 0) throw invalid(...faults)
}

function toItem(row: store.PostRow, nowMs: number): StatusPostItem {
  const resolved = resolvedAt(row, nowMs)
  return {
    id: encodeId('post', row.id),
    type: row.type,
    title: row.title,
    status: statusAt(row, nowMs),
    impact: row.impact,
    monitors: row.monitors.map((id) => encodeId('monitor', id)),
    incident_id: row.incident_id && encodeId('incident', row.incident_id),
    starts_at: toTimestamp(row.starts_at.getTime()),
    ends_at: row.ends_at && toTimestamp(row.ends_at.getTime()),
    resolved_at: resolved && toTimestamp(resolved.getTime()),
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}

const toUpdate = ({ id, at, status, text }: store.UpdateRow): StatusPostUpdate => ({
  id: encodeId('postUpdate', id),
  at: toTimestamp(at.getTime()),
  status,
  text,
})
