import type { Clock } from '../../../platform/time/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { readTargetPolicy } from './store.ts'
import { parseTargetPolicy, type TargetPolicy } from './prober.ts'
import { createGuardedConnect, type GuardedConnect } from '../probe/index.ts'

/** The delay after which a policy changed in the database applies. */
const POLL_EVERY_MS = 5_000

/**
 * Opens connections for other senders under the address rules of checks. `given` is the policy in the settings; without it the
 * answer of the set-up page applies.
 */
export function createPolicyConnect({ db, clock }: { db: Db; clock: Clock }, given: string | undefined): GuardedConnect {
  const fixed = given === undefined ? undefined : parseTargetPolicy(given)
  const read = async (): Promise<TargetPolicy> => fixed ?? readTargetPolicy(db)
  let current: { policy: string; connect: GuardedConnect; readAtMs: number } | undefined
  return async (target, limits) => {
    if (!current || (!fixed && clock.now() - current.readAtMs >= POLL_EVERY_MS)) {
      const allowPrivateTargets = await read()
      const policy = String(allowPrivateTargets)
      const connect = current?.policy === policy ? current.connect : createGuardedConnect({ allowPrivateTargets })
      current = { policy, connect, readAtMs: clock.now() }
    }
    return current.connect(target, limits)
  }
}
