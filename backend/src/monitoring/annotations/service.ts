import {
  type Annotation,
  ANNOTATION_DAYS,
  type AnnotationList,
  type AnnotationListQuery,
  type CreateAnnotationBody,
  DAY_MS,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import { lockReferences } from '../../operating/references/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { newId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { instantAt } from '../../platform/time/instant.ts'
import * as store from './store.ts'
import { toAnnotation } from './wire.ts'

export interface AnnotationDeps {
  db: Db
  clock: Clock
}

const KEPT_MS = ANNOTATION_DAYS * DAY_MS
/** A change that is planned, or the clock of another machine. */
const AHEAD_MS = DAY_MS

/** One page of annotations, newest first. Throws validation_error. */
export async function listAnnotations(
  { db }: Pick<AnnotationDeps, 'db'>,
  tenant: Tenant,
  { page = 1, limit = 20, tag: tags = [], ...query }: AnnotationListQuery,
): Promise<AnnotationList> {
  const from = query.from === undefined ? undefined : instantAt('from', query.from)
  const to = query.to === undefined ? undefined : instantAt('to', query.to)
  if (from && to && from > to) throw invalid({ path: 'to', message: 'must not be before from' })
  const { total, rows } = await store.listAnnotations(db, tenant.number, { from, to, tags }, { page, limit })
  return { annotations: rows.map(toAnnotation), total, page, limit }
}

/** Throws validation_error; conflict where the organization has as many as it may have. */
export const createAnnotation = (
  deps: AnnotationDeps,
  actor: Actor<Principal>,
  body: CreateAnnotationBody,
): Promise<Annotation> => addAnnotation(deps, tenantOf(actor.principal).number, actor, body)

/** The same for an organization that the caller does not act in: a sender of alerts. */
export async function addAnnotation(
  deps: AnnotationDeps,
  number: number,
  actor: Actor,
  { at, text, tags = [], server_id: server = null, monitor_id: monitor = null, url = null }: CreateAnnotationBody,
): Promise<Annotation> {
  const createdAt = new Date(deps.clock.now())
  const happenedAt = at === undefined ? createdAt : instantAt('at', at)
  requireKept(happenedAt, createdAt)
  return inTransaction(deps.db, async (db) => {
    await refuseOverBound(db, number, 'annotation')
    const row = {
      id: newId(),
      at: happenedAt,
      text,
      tags,
      server_id: await referenceTo(db, number, 'server', server),
      monitor_id: await referenceTo(db, number, 'monitor', monitor),
      url,
      created_at: createdAt,
    }
    await store.insertAnnotation(db, number, row)
    await recordAudit(
      db,
      number,
      actor,
      auditEntry('annotation.created', 'annotation', row.id, { at: happenedAt, tags }),
      createdAt,
    )
    return toAnnotation(row)
  })
}

/** Deletes what happened more than 400 days ago. Several processes may run it at once. */
export function deleteOldAnnotations(db: Db, nowMs: number): Promise<void> {
  return store.deleteBefore(db, new Date(nowMs - KEPT_MS))
}

function requireKept(at: Date, now: Date): void {
  const ageMs = now.getTime() - at.getTime()
  if (ageMs > KEPT_MS) throw invalid({ path: 'at', message: `must be at most ${ANNOTATION_DAYS} days ago` })
  if (ageMs < -AHEAD_MS) throw invalid({ path: 'at', message: 'must be at most one day ahead' })
}

/** The stored id of what an annotation is about. Throws validation_error for what the organization does not have. */
async function referenceTo(
  db: Db,
  organization: number,
  kind: 'server' | 'monitor',
  text: string | null,
): Promise<string | null> {
  if (text === null) return null
  const id = parseId(kind, text)
  if (id === undefined || !(await lockReferences(db, kind, organization, [id])).has(id))
    throw invalid({ path: `${kind}_id`, message: `is not a ${kind} of this organization` })
  return id
}
