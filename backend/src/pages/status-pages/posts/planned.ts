import type { PostStatus } from '@vedette/shared'
import { auditEntry, recordAudit, SYSTEM } from '../../../access/audit/index.ts'
import { announceChange, type Changes, createRereading, type Db, inTransaction } from '../../../platform/db/index.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { lockPage } from '../pages/store.ts'
import { NOTICE_TEXTS } from '../render/notice-texts.ts'
import { enqueueStep } from '../subscribers/store.ts'
import { noticeOf } from './notices.ts'
import * as store from './store.ts'

export interface PlannedDeps {
  db: Db
  clock: Clock
  log: Log
  changes: Pick<Changes, 'on' | 'isHeard'>
}

/** Of one run. */
const MAX_POSTS = 100
/** When the next one is due is read this often where changes of pages are announced. */
const POLL_EVERY_MS = 120_000

export interface PlannedAnnouncer {
  /** Whether something is due, as far as is known. */
  isDue(): Promise<boolean>
  announce(): Promise<void>
}

export function createPlannedAnnouncer(deps: PlannedDeps): PlannedAnnouncer {
  const { db, clock } = deps
  const reading = createRereading(deps, 'status_page', 0, POLL_EVERY_MS)
  let dueMs = Number.POSITIVE_INFINITY
  return {
    isDue: async () => {
      if (reading.dueMs() <= clock.now())
        dueMs = await reading.read(async () => (await store.findNextNotice(db))?.getTime() ?? Number.POSITIVE_INFINITY)
      return dueMs <= clock.now()
    },
    announce: async () => {
      await announcePlanned(deps)
      reading.expire()
    },
  }
}

/**
 * Reminds subscribers of planned maintenance, and notifies them when it starts and ends by its times, once for each, whichever instance
 * runs it: the step, its jobs and the next time are stored in one transaction. A post that fails is tried again by the next run.
 */
async function announcePlanned({ db, clock, log }: PlannedDeps): Promise<void> {
  const at = new Date(clock.now())
  for (const { organization, pageId, id } of await store.listDuePosts(db, at, MAX_POSTS)) {
    try {
      await inTransaction(db, (transaction) => examine(transaction, organization, pageId, id, at))
    } catch (error) {
      log.error({ err: error, organization, post: encodeId('post', id) }, 'a planned maintenance could not be announced')
    }
  }
}

async function examine(db: Db, organization: number, pageId: string, id: string, at: Date): Promise<void> {
  const page = await lockPage(db, organization, pageId)
  const post = page && (await store.lockPost(db, organization, pageId, id))
  // Another instance was faster.
  if (!page || !post?.notice_at || post.notice_at > at) return
  const { step, isSent, nextAt } = noticeOf(post, post.notice_at, at)
  if (!step) return store.setNotice(db, organization, id, nextAt)
  const status: PostStatus = step === 'reminder' ? 'scheduled' : step
  const update = { id: newId(), at, status, text: NOTICE_TEXTS[page.language][step] }
  await store.insertUpdate(db, organization, id, update)
  // `resolved_at` stays: a maintenance whose end is moved is in progress again.
  await store.updatePost(db, organization, id, { status, notice_at: nextAt }, at)
  if (isSent) await enqueueStep(db, organization, { pageId, postId: id, updateId: update.id, monitors: post.monitors }, at)
  const details = { title: post.title, status, page_id: encodeId('statusPage', pageId) }
  await recordAudit(db, organization, SYSTEM, auditEntry('status_post.update_added', 'post', id, details), at)
  await announceChange(db, 'status_page', [pageId])
}
