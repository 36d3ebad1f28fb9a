import type { Configuration, Configured } from './configured.ts'
import { type Caller, tenantOf } from './principal.ts'
import type { ResourceDeps } from './resource.ts'
import type { ChangingRouteDeps } from './route-deps.ts'

interface Work<Deps, Result> {
  /** Stored ids of what is changed, deleted or restored. */
  ids: readonly string[]
  work: (deps: Deps) => Promise<Result>
  /** Stored ids of what there is afterwards. */
  idsOf: (result: Result) => readonly string[]
  /** Those that were deleted before. */
  restored?: readonly string[]
}

/** Runs changes by hand in the transaction of `context.db`, and stores them as one change set with what was before and is after. */
export async function recordedMany<Deps extends ResourceDeps, Result>(
  { configuration }: { configuration?: Configuration<Deps> },
  context: Deps & Pick<ChangingRouteDeps, 'recordHandChange'>,
  caller: Caller,
  { ids, work, idsOf, restored = [] }: Work<Deps, Result>,
): Promise<Result> {
  const { recordHandChange } = context
  if (!configuration || !recordHandChange) return work(context)
  const read = async (some: readonly string[]): Promise<Map<string, Configured>> => {
    const found = some.length === 0 ? [] : await configuration.read(context, tenantOf(caller.principal), some)
    return new Map(found.map((one) => [one.id, one]))
  }
  const before = await read(ids)
  const result = await work(context)
  const after = await read(idsOf(result))
  const changes = [...new Set([...ids, ...after.keys()])].map((id) => ({
    kind: configuration.kind,
    before: before.get(id),
    after: after.get(id),
    isRestored: restored.includes(id),
  }))
  await recordHandChange(context.db, caller, changes)
  return result
}

/** The same of one resource; `idOf` of the result: what was created. */
export const recorded = <Deps extends ResourceDeps, Result>(
  resource: { configuration?: Configuration<Deps> },
  context: Deps & ChangingRouteDeps,
  caller: Caller,
  { id, work, isRestored = false }: { id: string | undefined; work: (deps: Deps) => Promise<Result>; isRestored?: boolean },
  idOf: (result: Result) => string | undefined = () => id,
): Promise<Result> => {
  const ids = id === undefined ? [] : [id]
  return recordedMany(resource, context, caller, {
    ids,
    work,
    idsOf: (result) => [idOf(result) ?? []].flat(),
    ...(isRestored && { restored: ids }),
  })
}
