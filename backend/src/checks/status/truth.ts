import type { CheckResult } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'

/** Errors that a dead network of ours would give as well as a dead target. */
const NETWORK_ERRORS: ReadonlySet<string> = new Set(['dns', 'connect', 'timeout'])

/** Whether the check failed in a way that only says something where our own network is known to work. */
export const needsControl = ({ outcome, error }: CheckResult): boolean =>
  outcome === 'down' && error !== null && NETWORK_ERRORS.has(error.code)

/**
 * Why a failed check says nothing of its target; undefined where it does. `isNetworkGone`: none of the region's control targets
 * could be reached after the check failed.
 */
export function faultOfOurs(result: CheckResult, isNetworkGone: boolean): string | undefined {
  if (!needsControl(result)) return undefined
  if (result.delayed && result.error?.code === 'timeout') return 'the checker was too busy to tell a timeout from its own delay'
  return isNetworkGone ? 'the checker could not reach its control targets either' : undefined
}

/** The same check with nothing said of its target: shown, and counted in nothing. What it saw stays in the message. */
export function madeInconclusive({ answer: _answer, ...result }: CheckResult, why: string): CheckResult {
  const seen = result.error === null ? '' : `; seen: ${result.error.message}`
  return {
    ...result,
    outcome: 'inconclusive',
    response_ms: null,
    error: { code: 'internal', message: `${why}${seen}`.slice(0, MAX_CHECK_MESSAGE_LENGTH) },
  }
}

/** A check that our own fault kept from being made: it saw nothing. */
export function unmade(why: string, checkedAt: string): CheckResult {
  return {
    checked_at: checkedAt,
    outcome: 'inconclusive',
    status_code: null,
    response_ms: null,
    dns_ms: null,
    connect_ms: null,
    tls_ms: null,
    first_byte_ms: null,
    transfer_ms: null,
    error: { code: 'internal', message: why.slice(0, MAX_CHECK_MESSAGE_LENGTH) },
    address: null,
    http_version: null,
    certificate: null,
    delayed: false,
  }
}

/** A check that was never made: its turn did not come before the next one was due. */
export const notMade = (checkedAt: string): CheckResult =>
  unmade('the checker was overloaded: the check could not begin before the next one was due', checkedAt)
