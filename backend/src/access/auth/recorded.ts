import type { ResourceDeps } from './resource.ts'
import type { Configuration } from './configured.ts'
import { type Caller, tenantOf } from './principal.ts'
import type { ChangingRouteDeps } from './route-deps.ts'

/**
 * Runs a change of one resource by hand in the transaction of `context.db`, and stores it with what was before and is after. `idOf` of
 * the result: what was created.
 */
export async function recorded<Deps extends ResourceDeps, Result>(
  { configuration }: { configuration?: Configuration<Deps> },
  context: Deps & ChangingRouteDeps,
  caller: Caller,
  { id, work, isRestored = false }: { id: string | undefined; work: (deps: Deps) => Promise<Result>; isRestored?: boolean },
  idOf: (result: Result) => string | undefined = () => id,
): Promise<Result> {
  const { recordHandChange } = context
  if (!configuration || !recordHandChange) return work(context)
  const tenant = tenantOf(caller.principal)
  const read = async (stored: string | undefined) =>
    stored === undefined ? undefined : (await configuration.read(context, tenant, [stored]))[0]
  const before = await read(id)
  const result = await work(context)
  await recordHandChange(context.db, caller, { kind: configuration.kind, before, after: await read(idOf(result)), isRestored })
  return result
}
