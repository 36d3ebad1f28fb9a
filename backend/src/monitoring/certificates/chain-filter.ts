import type { CheckResult } from '@vedette/shared'
import { identityOf } from './sighting.ts'

/** A result that was lost on its way must not hide a change for long. */
const REPEAT_AFTER_MS = 600_000
/** Monitors of one region; some 250 bytes each. */
const MAX_REMEMBERED = 50_000

/**
 * Leaves the chain out of the results of a monitor (`key`) while it is the one that an earlier result of the last ten minutes had: a
 * probe sends a kilobyte less with each.
 */
export function createChainFilter(): (key: string, result: CheckResult) => CheckResult {
  const sent = new Map<string, { identity: string; atMs: number }>()
  return (key, result) => {
    const { certificate } = result
    if (!certificate?.chain) return result
    const [identity, atMs] = [identityOf(certificate), Date.parse(result.checked_at)]
    const last = sent.get(key)
    if (last?.identity === identity && Math.abs(atMs - last.atMs) < REPEAT_AFTER_MS) {
      const { chain: _chain, ...leaf } = certificate
      return { ...result, certificate: leaf }
    }
    if (!last && sent.size >= MAX_REMEMBERED) sent.clear()
    sent.set(key, { identity, atMs })
    return result
  }
}
