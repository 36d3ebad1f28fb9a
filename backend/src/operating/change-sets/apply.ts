import type { ErrorDetail, Managed } from '@vedette/shared'
import { allows, type Caller, type Configured, type Spec, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { type Db, setManaged } from '../../platform/db/index.ts'
import { ApiError, conflict, forbidden } from '../../platform/errors.ts'
import { encodeId, parseId } from '../../platform/ids.ts'
import { differencesBetween } from './differences.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Step } from './plan.ts'
import { referencesIn, withIds, withOtherIds } from './references.ts'
import { patchOf } from './secrets.ts'
import { findLastChanges } from './store.ts'
import { STAYS_AWAY } from './undo.ts'

const kindOf = (kinds: Kinds, step: Step): Kind => kinds.get(step.kind) as Kind
const storedId = (kinds: Kinds, step: Step): string | undefined =>
  step.id === null ? undefined : parseId(kindOf(kinds, step).idKind, step.id)

/** What steps need that must not hold a transaction, by `keyOf` the step. */
export type Prepared = ReadonlyMap<string, unknown>

/** Stays the same where a step is made again from what there is. */
const keyOf = ({ kind, id, ref }: Step): string => `${kind} ${id ?? ref}`

/** To be called before a transaction is open. */
export async function prepareSteps(kinds: Kinds, caller: Caller, steps: readonly Step[]): Promise<Prepared> {
  const prepared = new Map<string, unknown>()
  for (const step of steps) {
    const [kind, id] = [kindOf(kinds, step), storedId(kinds, step)]
    if (step.action === 'create' && step.after) prepared.set(keyOf(step), await kind.prepareCreate(step.after))
    if ((step.action === 'update' || step.action === 'adopt') && id !== undefined)
      prepared.set(keyOf(step), await kind.preparePatch(caller.principal, id, patchOf(kind, step)))
  }
  return prepared
}

/** Throws forbidden that names the first step which the caller may not take. */
export function requirePermissions(kinds: Kinds, { principal }: Caller, steps: readonly Step[]): void {
  for (const step of steps) {
    const { access } = kindOf(kinds, step)
    const needed = step.isRestored
      ? access.delete
      : { create: access.create, update: access.change, adopt: access.change, delete: access.delete }[step.action]
    if (!allows(principal, needed))
      throw forbidden(`These credentials may not do this: ${step.action} ${step.kind} ${step.name}.`)
  }
}

/** The resources of the steps as they are now, locked until the transaction ends; by the id of the API. */
export async function lockCurrent(
  db: Db,
  kinds: Kinds,
  tenant: Tenant,
  steps: readonly Step[],
): Promise<Map<string, Configured>> {
  const current = new Map<string, Configured>()
  for (const kind of kinds.values()) {
    const own = steps.filter((step) => step.kind === kind.kind)
    const ids = own.flatMap((step) => storedId(kinds, step) ?? []).toSorted()
    for (const id of ids) await kind.lock(db, tenant.number, id)
    const rows = ids.length === 0 ? [] : await kind.read(db, tenant, ids)
    for (const row of rows) current.set(encodeId(kind.idKind, row.id), row)
  }
  return current
}

export const isAsStored = (stored: Spec | undefined, expected: Spec | null): boolean =>
  stored === undefined || expected === null
    ? stored === undefined && expected === null
    : differencesBetween(stored, expected).length === 0

/** One sentence for each resource that is not as it was: who changed it. */
export async function conflictsOf(db: Db, kinds: Kinds, tenant: Tenant, steps: readonly Step[]): Promise<ErrorDetail[]> {
  const ids = steps.flatMap((step) => storedId(kinds, step) ?? [])
  const changes = await findLastChanges(db, tenant.number, ids)
  return steps.map((step) => {
    const change = changes.get(storedId(kinds, step) ?? '')
    const who = change?.person?.name ?? change?.person?.email ?? (change ? 'the installation' : undefined)
    return {
      path: step.id ?? `${step.kind}:${step.ref}`,
      message: `${step.name} was changed${who === undefined ? ' since' : ` by ${who} at ${change?.at.toISOString()}`}`,
    }
  })
}

export const movedOn = (details: ErrorDetail[]): ApiError =>
  new ApiError('conflict', `What the change set starts from has changed: ${details.map(({ message }) => message).join('; ')}.`, {
    details: details.slice(0, 100),
  })

interface Work {
  db: Db
  kinds: Kinds
  caller: Caller
  prepared: Prepared
}

/** Takes the steps in their order, and gives them as they were taken: with ids, and as the resources are afterwards. */
export async function takeSteps({ db, kinds, caller, prepared }: Work, steps: readonly Step[]): Promise<Step[]> {
  const tenant = tenantOf(caller.principal)
  const created = new Map<string, string>()
  const ids = new Map<Step, string>()
  /** What was created again has another id. */
  const others = new Map<string, string>()
  const take = async (step: Step, kind: Kind, resolved: Spec | null) => {
    return within(step, () => takeStep({ db, kinds, caller, prepared }, kind, step, resolved))
  }
  for (const run of runsOf(kinds, steps)) {
    const kind = kindOf(kinds, run[0])
    const specs = run.map(({ after }) => {
      const spec = after && withIds(after, (reference) => created.get(reference))
      return spec && others.size > 0 ? withOtherIds(spec, (id) => others.get(id)) : spec
    })
    const taken =
      run.length > 1 && kind.changeMany
        ? await takeMany(db, kinds, caller, run, specs)
        : [await take(run[0], kind, specs[0] ?? null)]
    for (const [index, step] of run.entries()) {
      const id = taken[index] as string
      ids.set(step, id)
      const shown = encodeId(kind.idKind, id)
      if (step.ref !== null) created.set(`${step.kind}:${step.ref}`, shown)
      if (step.id !== null && step.id !== shown) others.set(step.id, shown)
    }
  }
  const results = new Map<Step, Step>()
  for (const kind of kinds.values()) {
    const own = steps.filter((step) => step.kind === kind.kind)
    if (own.length === 0) continue
    const managed = own.flatMap((step): [string, Managed | null][] =>
      step.action === 'delete' ? [] : [[ids.get(step) as string, step.managed]],
    )
    await setManaged(db, kind.table, tenant.number, new Map(managed))
    const rows = new Map(
      (
        await kind.read(
          db,
          tenant,
          own.map((step) => ids.get(step) as string),
        )
      ).map((row) => [row.id, row]),
    )
    for (const step of own) {
      const id = ids.get(step) as string
      const shown = encodeId(kind.idKind, id)
      const isRestored = step.isRestored === true && shown === step.id
      results.set(step, { ...step, isRestored, id: shown, after: rows.get(id)?.spec ?? null, kept: [] })
    }
  }
  return steps.map((step) => results.get(step) as Step)
}

const MANY = 500

/** Steps that can be taken at once: neighbours of one kind and action which do not refer to each other. */
function runsOf(kinds: Kinds, steps: readonly Step[]): [Step, ...Step[]][] {
  const runs: [Step, ...Step[]][] = []
  let made = new Set<string>()
  for (const step of steps) {
    const run = runs.at(-1)
    const isMany = kindOf(kinds, step).changeMany && ['create', 'delete'].includes(step.action) && !step.isRestored
    const isNext = run && isMany && run[0].kind === step.kind && run[0].action === step.action && run.length < MANY
    const refers = step.after !== null && referencesIn(step.after).some(({ reference }) => made.has(reference))
    if (isNext && !refers) run.push(step)
    else {
      runs.push([step])
      made = new Set()
    }
    made.add(`${step.kind}:${step.ref}`)
  }
  return runs
}

/** The stored ids of the resources, in their order. */
async function takeMany(
  db: Db,
  kinds: Kinds,
  caller: Caller,
  run: readonly [Step, ...Step[]],
  specs: readonly (Spec | null)[],
): Promise<string[]> {
  const kind = kindOf(kinds, run[0])
  if (run[0].action === 'delete') {
    const stored = run.map((step) => storedId(kinds, step) as string)
    await kind.changeMany?.(db, caller, { create: [], delete: stored })
    return stored
  }
  const create = run.map((step, index) => ({ path: `${step.kind}:${step.ref}.spec.`, spec: specs[index] ?? {} }))
  return (await kind.changeMany?.(db, caller, { create, delete: [] })) ?? []
}

/** The stored id of the resource: another one where it was deleted too long ago, so that it is created again. */
async function bringBack({ db, kinds, caller, prepared }: Work, kind: Kind, step: Step, after: Spec): Promise<string> {
  const id = storedId(kinds, step) as string
  if (kind.isRegistered) throw conflict(STAYS_AWAY)
  try {
    await kind.restore(db, caller, id)
    return id
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
  }
  requirePermissions(kinds, caller, [{ ...step, isRestored: false }])
  return kind.create(db, caller, kind.again(after), prepared.get(keyOf(step)))
}

/** The stored id of the resource. */
async function takeStep(work: Work, kind: Kind, step: Step, after: Spec | null): Promise<string> {
  const { db, kinds, caller, prepared } = work
  if (step.isRestored) return bringBack(work, kind, step, after ?? {})
  const id = storedId(kinds, step)
  if (step.action === 'create') return kind.create(db, caller, after ?? {}, prepared.get(keyOf(step)))
  if (step.action === 'delete') await kind.delete(db, caller, id as string)
  else {
    const patch = patchOf(kind, { ...step, after })
    if (Object.keys(patch).length > 0) await kind.patch(db, caller, id as string, patch, prepared.get(keyOf(step)))
  }
  return id as string
}

/** Says which resource an error is about. */
async function within<T>({ kind, ref, name }: Step, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const { code, message, details } = error
    const place = `${kind}:${ref ?? name}`
    throw new ApiError(code, `${place}: ${message}`, {
      cause: error,
      ...(details && { details: details.map((detail) => ({ ...detail, path: `${place}.spec.${detail.path}` })) }),
    })
  }
}
