import {
  type ChangeSet,
  CHANGE_SET_DAYS,
  type ChangeSetList,
  type ChangeSetListQuery,
  DAY_MS,
  PROPOSAL_HOURS,
  type UndoChangeSetBody,
} from '@vedette/shared'
import { actorOf, auditEntry, parseAnyId, recordAudit } from '../../access/audit/index.ts'
import { type Caller, type Configured, type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { type Db, joinTransaction, setManaged } from '../../platform/db/index.ts'
import { ApiError, conflict, invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId, parseId } from '../../platform/ids.ts'
import { instantAt } from '../../platform/time/instant.ts'
import {
  conflictsOf,
  isAsStored,
  lockCurrent,
  movedOn,
  type Prepared,
  prepareSteps,
  requirePermissions,
  takeSteps,
} from './apply.ts'
import { type Content, decryptContent, encryptContent, readContent } from './content.ts'
import type { ChangeSetDeps } from './deps.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Step } from './plan.ts'
import * as store from './store.ts'
import { resourcesOf, saysOf, summaryOf } from './summary.ts'
import { inverseOf, undoWarnings } from './undo.ts'
import { toChangeSet, toChangeSetItem } from './wire.ts'

const KEPT_MS = CHANGE_SET_DAYS * DAY_MS
/** Throws not_found across organizations. */
export async function getChangeSet(
  { db, clock, encrypter, kinds }: ChangeSetDeps,
  principal: Principal,
  id: string,
): Promise<ChangeSet> {
  const row = await store.findChangeSet(db, tenantOf(principal).number, id)
  if (!row) throw notFound()
  return toChangeSet(kinds, row, decryptContent(encrypter, id, row.content_encrypted), principal, clock.now())
}

/** One page, newest first. */
export async function listChangeSets(
  { db, clock }: Pick<ChangeSetDeps, 'db' | 'clock'>,
  tenant: Tenant,
  { page = 1, limit = 20, state, owner, resource, from }: ChangeSetListQuery,
): Promise<ChangeSetList> {
  const stored = resource === undefined ? undefined : parseAnyId(resource)
  if (resource !== undefined && stored === undefined) throw invalid({ path: 'resource', message: 'must be the id of a resource' })
  const filter = { state, owner, resource: stored, from: from === undefined ? undefined : instantAt('from', from) }
  const { total, rows } = await store.listChangeSets(db, tenant.number, filter, new Date(clock.now()), { page, limit })
  return { change_sets: rows.map((row) => toChangeSetItem(row, clock.now())), total, page, limit }
}

/** For `applyChangeSet` and `undoChangeSet`, before their transaction; nothing of what is not there or cannot be decrypted. */
export async function prepareChangeSet(
  { db, kinds, encrypter }: ChangeSetDeps,
  caller: Caller,
  id: string,
  stepsOf: (steps: readonly Step[]) => readonly Step[],
): Promise<Prepared> {
  const row = await store.findChangeSet(db, tenantOf(caller.principal).number, id)
  const content = row && readContent(encrypter, id, row.content_encrypted)
  return prepareSteps(kinds, caller, content ? stepsOf(content.steps) : [])
}

/**
 * Applies a proposal, all of it or nothing; `prepared`: by `prepareChangeSet`. Throws not_found, forbidden, conflict with what has changed
 * since, and what its steps throw.
 */
export async function applyChangeSet(deps: ChangeSetDeps, caller: Caller, id: string, prepared: Prepared): Promise<ChangeSet> {
  const { db, kinds, encrypter } = deps
  const tenant = tenantOf(caller.principal)
  return joinTransaction(db, async (transaction) => {
    await store.lockConfiguration(transaction, tenant.number)
    const proposed = await requireProposed({ ...deps, db: transaction }, tenant, id)
    const { steps } = proposed
    requirePermissions(kinds, caller, steps)
    const current = await lockCurrent(transaction, kinds, tenant, steps)
    const changed = steps.filter((step) => step.id !== null && !isAsStored(current.get(step.id)?.spec, step.before))
    const taken = await takenRefs(transaction, kinds, tenant, steps)
    if (changed.length + taken.length > 0) throw movedOn(await conflictsOf(transaction, kinds, tenant, [...changed, ...taken]))
    const done = await takeSteps({ db: transaction, kinds, caller, prepared }, steps)
    for (const [kind, moved] of Map.groupBy(proposed.moved, (one) => one.kind)) {
      const { table, idKind } = kinds.get(kind) as Kind
      const managed = moved.map((one) => [parseId(idKind, one.id) as string, one.managed] as const)
      await setManaged(transaction, table, tenant.number, new Map(managed))
    }
    const at = new Date(deps.clock.now())
    const content = encryptContent(encrypter, id, { ...proposed, steps: done, moved: [] })
    const applied = { resources: resourcesOf(kinds, done), content, ...actorOf(caller.principal) }
    await store.markApplied(transaction, tenant.number, id, applied, at)
    await recordAudit(
      transaction,
      tenant.number,
      caller,
      auditEntry('change_set.applied', 'changeSet', id, summaryOf({ ...proposed, steps: done, unchanged: 0 })),
      at,
    )
    return getChangeSet({ ...deps, db: transaction }, caller.principal, id)
  })
}

async function requireProposed({ db, clock, encrypter }: ChangeSetDeps, tenant: Tenant, id: string): Promise<Content> {
  const row = await store.findChangeSet(db, tenant.number, id)
  if (!row) throw notFound()
  if (row.applied_at !== null) throw conflict('The change set has been applied.')
  if ((row.expires_at?.getTime() ?? 0) <= clock.now())
    throw conflict(`The change set was proposed more than ${PROPOSAL_HOURS} hours ago: propose it again.`)
  const content = decryptContent(encrypter, id, row.content_encrypted)
  const refused = content.steps.filter((step) => step.refused !== null)
  if (refused.length > 0)
    throw new ApiError('conflict', `${refused.length} steps cannot be applied: ${refused[0]?.name}: ${refused[0]?.refused}.`, {
      details: refused.slice(0, 100).map((step) => ({ path: `${step.kind}:${step.ref}`, message: step.refused as string })),
    })
  return content
}

/** Steps that create what another change set has created meanwhile. */
async function takenRefs(db: Db, kinds: Kinds, tenant: Tenant, steps: readonly Step[]): Promise<Step[]> {
  const creations = steps.filter(({ action, isRestored }) => action === 'create' && !isRestored)
  const taken: Step[] = []
  for (const [kind, own] of Map.groupBy(creations, (step) => step.kind)) {
    const all = await (kinds.get(kind) as Kind).read(db, tenant)
    const refs = new Set(all.flatMap(({ managed }) => (managed ? [`${managed.owner} ${managed.ref}`] : [])))
    taken.push(...own.filter(({ managed }) => managed && refs.has(`${managed.owner} ${managed.ref}`)))
  }
  return taken
}

/**
 * Takes an applied change set back, as a new one. Throws not_found, conflict with what was changed since and is not in `force`, and what
 * its steps throw.
 */
export async function undoChangeSet(
  deps: ChangeSetDeps,
  caller: Caller,
  id: string,
  { force = [] }: UndoChangeSetBody,
  prepared: Prepared,
): Promise<ChangeSet> {
  const { db, kinds, clock } = deps
  const tenant = tenantOf(caller.principal)
  return joinTransaction(db, async (transaction) => {
    await store.lockConfiguration(transaction, tenant.number)
    const row = await requireApplied({ ...deps, db: transaction }, tenant, id)
    const inverse = inverseOf(row.steps)
    requirePermissions(kinds, caller, inverse)
    const current = await lockCurrent(transaction, kinds, tenant, inverse)
    const changed = inverse.filter((step) => !isAsStored(current.get(step.id as string)?.spec, step.before))
    const conflicting = changed.filter((step) => !force.includes(step.id as string))
    if (conflicting.length > 0) throw movedOn(await conflictsOf(transaction, kinds, tenant, conflicting))
    const steps = inverse.flatMap((step) => overwriting(step, current.get(step.id as string)))
    const done = await takeSteps({ db: transaction, kinds, caller, prepared }, steps)
    const gone = new Set(steps.filter((step, index) => step.id !== done[index]?.id).map((step) => step.id))
    const warnings = undoWarnings(kinds, inverse, (step) => gone.has(step.id))
    const undo = await insertApplied(
      { ...deps, db: transaction },
      caller,
      { steps: done, moved: [], warnings },
      { owner: row.owner, undoes: id },
    )
    await store.markUndone(transaction, tenant.number, id, undo)
    const at = new Date(clock.now())
    await recordAudit(
      transaction,
      tenant.number,
      caller,
      auditEntry('change_set.undone', 'changeSet', id, { undone_by: encodeId('changeSet', undo) }),
      at,
    )
    return getChangeSet({ ...deps, db: transaction }, caller.principal, undo)
  })
}

/** The step from what there is now; none for what is gone already. */
function overwriting(step: Step, found: Configured | undefined): Step[] {
  if (step.isRestored) return found ? [{ ...step, action: 'update', isRestored: false, before: found.spec }] : [step]
  if (!found) return step.action === 'delete' ? [] : [step]
  return [{ ...step, before: found.spec }]
}

async function requireApplied({ db, encrypter }: ChangeSetDeps, tenant: Tenant, id: string) {
  const row = await store.findChangeSet(db, tenant.number, id)
  if (!row) throw notFound()
  if (row.applied_at === null) throw conflict('The change set has not been applied.')
  if (row.undone_by !== null) throw conflict(`The change set was taken back by ${encodeId('changeSet', row.undone_by)}.`)
  return { owner: row.owner, ...decryptContent(encrypter, id, row.content_encrypted) }
}

/** Stores an applied change set, in the transaction of its changes; its stored id. */
export async function insertApplied(
  { db, clock, encrypter, kinds }: ChangeSetDeps,
  caller: Caller,
  content: Content,
  { owner, undoes }: { owner: string | null; undoes?: string },
): Promise<string> {
  const tenant = tenantOf(caller.principal)
  const id = newId()
  const set = {
    id,
    owner,
    base: null,
    ...actorOf(caller.principal),
    ...(undoes !== undefined && { undoes }),
    summary: summaryOf({ steps: content.steps as Step[], unchanged: 0, moved: [] }),
    says: saysOf(kinds, tenant, content.steps),
    resources: resourcesOf(kinds, content.steps),
    content: encryptContent(encrypter, id, content),
  }
  await store.insertChangeSet(db, tenant.number, set, new Date(clock.now()))
  return id
}

/** Deletes those of more than 400 days ago. Several processes may run it at once. */
export const deleteOldChangeSets = (db: Db, nowMs: number): Promise<void> => store.deleteBefore(db, new Date(nowMs - KEPT_MS))
