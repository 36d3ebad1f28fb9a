import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { arePrivateTargetsOpen } from './policy-store.ts'
import { policyOf, type TargetPolicy } from './policy-prober.ts'
import { createGuardedConnect, type GuardedConnect } from './probe/index.ts'

/** How soon a policy that was changed in the database holds. */
const LOOK_EVERY_MS = 5_000

/**
 * Connections for other senders under the address rules of checks. `given` is the policy that the settings say; without it the
 * answer of the set-up page holds.
 */
export function createPolicyConnect({ db, clock }: { db: Db; clock: Clock }, given: string | undefined): GuardedConnect {
  const fixed = given === undefined ? undefined : policyOf(given)
  const read = async (): Promise<TargetPolicy> => fixed ?? ((await arePrivateTargetsOpen(db)) ? 'all' : [])
  let current: { policy: string; connect: GuardedConnect; readAtMs: number } | undefined
  return async (target, limits) => {
    if (!current || (!fixed && clock.now() - current.readAtMs >= LOOK_EVERY_MS)) {
      const allowPrivateTargets = await read()
      const policy = String(allowPrivateTargets)
      const connect = current?.policy === policy ? current.connect : createGuardedConnect({ allowPrivateTargets })
      current = { policy, connect, readAtMs: clock.now() }
    }
    return current.connect(target, limits)
  }
}
