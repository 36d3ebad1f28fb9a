import {
  type ChangeSet,
  type ConfigurationComparison,
  type CreateChangeSetBody,
  HOUR_MS,
  MAX_PROPOSALS,
  PROPOSAL_HOURS,
  UNCONFIRMED_DELETES,
} from '@vedette/shared'
import { createHash } from 'node:crypto'
import { actorOf } from '../../access/audit/index.ts'
import { type Caller, type Configured, type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { findBound } from '../../access/plans/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { conflict, forbidden, invalid } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { encryptContent } from './content.ts'
import type { ChangeSetDeps } from './deps.ts'
import { type Kind, type Kinds, readableBy } from './kinds.ts'
import { type Current, type Plan, planChanges, type Validate, type Warning } from './plan.ts'
import { getChangeSet } from './service.ts'
import * as store from './store.ts'
import { resourcesOf, saysOf, summaryOf } from './summary.ts'
import { toSteps } from './wire.ts'

type Reading = Pick<ChangeSetDeps, 'db' | 'kinds'>

/** All resources of these kinds, by kind. */
export async function readConfiguration({ db, kinds }: Reading, tenant: Tenant): Promise<Current> {
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

/** Shows what would change; nothing does. Throws validation_error, conflict over the bound of proposals. */
export async function proposeChanges(
  deps: ChangeSetDeps,
  caller: Caller,
  body: CreateChangeSetBody,
  validate: Validate,
): Promise<ChangeSet> {
  const { db, kinds } = deps
  const tenant = tenantOf(caller.principal)
  const at = new Date(deps.clock.now())
  return inTransaction(db, async (transaction) => {
    const { plan, current } = await planOf({ db: transaction, kinds }, caller.principal, body, validate)
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

async function planOf({ db, ...deps }: Reading, principal: Principal, body: CreateChangeSetBody, validate: Validate) {
  const kinds = readableBy(deps.kinds, principal)
  refuseRepeated(body)
  refuseHidden(kinds, body)
  const current = await readConfiguration({ db, kinds }, tenantOf(principal))
  const plan = await planChanges(kinds, current, body, validate)
  refuseManyDeletes(plan, current, body)
  const warnings = [...plan.warnings, ...(await boundWarnings(db, tenantOf(principal), kinds, plan, current))]
  return { plan: { ...plan, warnings }, current }
}

/** Of kinds of which there would be more than an organization may have. What is deleted is deleted last. */
async function boundWarnings(db: Db, { number }: Tenant, kinds: Kinds, { steps }: Plan, current: Current): Promise<Warning[]> {
  const warnings: Warning[] = []
  for (const { kind, table } of kinds.values()) {
    const added = steps.filter((step) => step.kind === kind && step.action === 'create' && step.refused === null).length
    const bound = added > 0 ? await findBound(db, number, table) : undefined
    const count = (current.get(kind)?.length ?? 0) + added
    if (bound && count > bound.max)
      warnings.push({
        kind,
        text: `there would be ${count} ${bound.noun}, and the organization may have ${bound.max}: it cannot be applied as a whole`,
      })
  }
  return warnings
}

/** What a proposal would say, not stored. Throws validation_error. */
export async function compareConfiguration(
  deps: Reading,
  principal: Principal,
  body: CreateChangeSetBody,
  validate: Validate,
): Promise<ConfigurationComparison> {
  const { plan } = await planOf(deps, principal, body, validate)
  return { summary: summaryOf(plan), ...toSteps(deps.kinds, plan, principal) }
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
