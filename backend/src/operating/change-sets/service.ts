import {
  type ChangeSet,
  CHANGE_SET_DAYS,
  type ChangeSetList,
  type ChangeSetListQuery,
  type ChangeSummary,
  type CreateChangeSetBody,
  DAY_MS,
  HOUR_MS,
  MAX_PROPOSALS,
  PROPOSAL_HOURS,
  type UndoChangeSetBody,
  UNCONFIRMED_DELETES,
} from '@vedette/shared'
import { createHash } from 'node:crypto'
import { actorOf, auditEntry, parseAnyId, recordAudit } from '../../access/audit/index.ts'
import {
  type Caller,
  type Configured,
  type HandChange,
  type Principal,
  type Tenant,
  tenantOf,
  unsignedMember,
} from '../../access/auth/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { type Db, inTransaction, joinTransaction, setManaged } from '../../platform/db/index.ts'
import { ApiError, conflict, forbidden, invalid, notFound } from '../../platform/errors.ts'
import { encodeId, newId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
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
import { type Kind, type Kinds, readableBy } from './kinds.ts'
import { type Current, type Plan, planChanges, type Step, type Validate } from './plan.ts'
import * as store from './store.ts'
import { inverseOf, undoWarnings } from './undo.ts'
import { toChangeSet, toChangeSetItem, toStep } from './wire.ts'

export interface ChangeSetDeps {
  db: Db
  clock: Clock
  encrypter: Encrypter
  kinds: Kinds
}

const KEPT_MS = CHANGE_SET_DAYS * DAY_MS
/** As many steps stand in a list. */
const SAID = 5

/** All resources of these kinds, by kind. */
export async function readConfiguration({ db, kinds }: Pick<ChangeSetDeps, 'db' | 'kinds'>, tenant: Tenant): Promise<Current> {
  const current = new Map<Kind['kind'], Configured[]>()
  for (const kind of kinds.values()) current.set(kind.kind, await kind.read(db, tenant))
  return current
}

/** Changes with any field of any resource. */
function digestOf(current: Current): string {
  const hash = createHash('sha256')
  for (const [kind, all] of current)
    for (const { id, spec, managed } of all.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
      hash.update(JSON.stringify([kind, id, spec, managed]))
  return `"${hash.digest('base64url').slice(0, 22)}"`
}

const summaryOf = ({ steps, unchanged, moved }: Pick<Plan, 'steps' | 'unchanged' | 'moved'>): ChangeSummary => {
  const count = (...actions: Step['action'][]) =>
    steps.filter(({ action, refused }) => refused === null && actions.includes(action)).length
  return {
    create: count('create'),
    update: count('update', 'adopt'),
    delete: count('delete'),
    unchanged,
    refused: steps.filter(({ refused }) => refused !== null).length,
    moved: moved.length,
  }
}

/** Who sees the least. */
export const viewerOf = (tenant: Tenant): Principal => unsignedMember('', { tenant, role: 'viewer', needsSecondFactor: false })

/** A list shows what anybody may read. */
const saysOf = (kinds: Kinds, tenant: Tenant, steps: readonly Step[]): string[] => {
  const viewer = viewerOf(tenant)
  const readable = readableBy(kinds, viewer)
  return steps
    .filter(({ kind }) => readable.has(kind))
    .slice(0, SAID)
    .map((step) => toStep(kinds, step, viewer).says)
}

const resourcesOf = (kinds: Kinds, steps: readonly Step[]): string[] =>
  steps.flatMap(({ kind, id }) => (id === null ? [] : (parseId((kinds.get(kind) as Kind).idKind, id) ?? [])))

/** Shows what would change; nothing does. Throws validation_error, conflict over the bound of proposals. */
export async function proposeChanges(
  deps: ChangeSetDeps,
  caller: Caller,
  body: CreateChangeSetBody,
  validate: Validate,
): Promise<ChangeSet> {
  const { db, clock } = deps
  const kinds = readableBy(deps.kinds, caller.principal)
  const tenant = tenantOf(caller.principal)
  refuseRepeated(body)
  refuseHidden(kinds, body)
  const at = new Date(clock.now())
  return inTransaction(db, async (transaction) => {
    const current = await readConfiguration({ db: transaction, kinds }, tenant)
    const plan = await planChanges(kinds, current, body, validate)
    refuseManyDeletes(plan, current, body)
    await store.lockConfiguration(transaction, tenant.number)
    const isOver = (await store.countProposals(transaction, tenant.number, at)) >= MAX_PROPOSALS
    if (isOver && plan.steps.length > 0 && !(await store.expireOldest(transaction, tenant.number, body.owner, at)))
      throw conflict(`The organization has ${MAX_PROPOSALS} proposed change sets, the most that it may have: apply one, or wait.`)
    const id = newId()
    const { steps, moved, warnings } = plan
    const content = { steps, moved, warnings }
    const set = {
      id,
      owner: body.owner,
      base: digestOf(current),
      ...actorOf(caller.principal),
      expiresAt: new Date(at.getTime() + PROPOSAL_HOURS * HOUR_MS),
      summary: summaryOf(plan),
      says: saysOf(kinds, tenant, plan.steps),
      resources: resourcesOf(kinds, plan.steps),
      content: encryptContent(deps.encrypter, id, content),
    }
    await store.insertChangeSet(transaction, tenant.number, set, at)
    return getChangeSet({ ...deps, db: transaction }, caller.principal, id)
  })
}

/** What a caller may not read they may not compare with either. */
function refuseHidden(kinds: Kinds, { resources }: CreateChangeSetBody): void {
  const hidden = resources.find(({ kind }) => !kinds.has(kind))
  if (hidden) throw forbidden(`These credentials may not read resources of the kind ${hidden.kind}.`)
}

function refuseRepeated({ resources }: CreateChangeSetBody): void {
  const seen = new Set<string>()
  for (const [index, { kind, ref }] of resources.entries()) {
    if (seen.has(`${kind}:${ref}`)) throw invalid({ path: `resources.${index}.ref`, message: `${kind}:${ref} is there twice` })
    seen.add(`${kind}:${ref}`)
  }
}

function refuseManyDeletes({ steps }: Plan, current: Current, { owner, confirm_deletes: confirmed }: CreateChangeSetBody): void {
  const deletes = steps.filter(({ action }) => action === 'delete').length
  const owned = [...current.values()].flat().filter(({ managed }) => managed?.owner === owner).length
  const { count, share } = UNCONFIRMED_DELETES
  if ((deletes > count || deletes > owned * share) && deletes !== confirmed)
    throw invalid({
      path: 'confirm_deletes',
      message: `must be ${deletes}: so many of the ${owned} resources of ${owner} would be deleted`,
    })
}

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
    const warnings = undoWarnings(inverse)
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

async function insertApplied(
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

/** Stores what a person changed by hand, as a change set without an owner, in the transaction of the changes. */
export async function recordHandChanges(deps: ChangeSetDeps, caller: Caller, changes: readonly HandChange[]): Promise<void> {
  const steps = changes.flatMap((change) => handStepOf(deps.kinds, change))
  if (steps.length > 0) await insertApplied(deps, caller, { steps, moved: [], warnings: [] }, { owner: null })
}

/** None where nothing differs. */
function handStepOf(kinds: Kinds, { kind: name, before, after, isRestored = false }: HandChange): Step[] {
  const one = before ?? after
  if (!one || (before && after && isAsStored(before.spec, after.spec))) return []
  const step: Step = {
    action: before ? (after ? 'update' : 'delete') : 'create',
    kind: name,
    ref: one.managed?.ref ?? null,
    id: encodeId((kinds.get(name) as Kind).idKind, one.id),
    name: one.name,
    before: before?.spec ?? null,
    after: after?.spec ?? null,
    managedBefore: before?.managed ?? null,
    managed: after?.managed ?? null,
    kept: [],
    refused: null,
  }
  return [{ ...step, ...(isRestored && !before && { isRestored }) }]
}

/** Deletes those of more than 400 days ago. Several processes may run it at once. */
export const deleteOldChangeSets = (db: Db, nowMs: number): Promise<void> => store.deleteBefore(db, new Date(nowMs - KEPT_MS))
