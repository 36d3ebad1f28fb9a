import type { Caller, HandChange } from '../../access/auth/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { isAsStored } from './apply.ts'
import type { ChangeSetDeps } from './deps.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Step } from './plan.ts'
import { insertApplied } from './service.ts'

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
