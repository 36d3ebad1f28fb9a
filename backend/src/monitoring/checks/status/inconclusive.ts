import { type CheckResult, truncateText } from '@vedette/shared'
import { MAX_CHECK_MESSAGE_LENGTH } from '@vedette/shared/checks/limits'

/** Errors that a failure of our own network causes as well as a failed target. */
const NETWORK_ERRORS: ReadonlySet<string> = new Set(['dns', 'connect', 'timeout'])

/** Whether the failure counts only when our own network is known to work. */
export const needsControl = ({ outcome, error }: CheckResult): boolean =>
  outcome === 'down' && error !== null && NETWORK_ERRORS.has(error.code)

/**
 * Why a failed check is inconclusive; undefined when its failure counts. `isNetworkDown`: no control target of the region could
 * be reached after the check failed.
 */
export function proberFault(result: CheckResult, isNetworkGone: boolean): string | undefined {
  if (!needsControl(result)) return undefined
  if (result.delayed && result.error?.code === 'timeout')
    return 'the probe was too busy to distinguish a timeout from its own delay'
  return isNetworkGone ? 'the probe could not reach its control targets either' : undefined
}

/** The same check as inconclusive: it is shown but counts for nothing. The message keeps what was observed. */
export function asInconclusive({ answer: _answer, ...result }: CheckResult, why: string): CheckResult {
  const seen = result.error === null ? '' : `; observed: ${result.error.message}`
  return {
    ...result,
    outcome: 'inconclusive',
    response_ms: null,
    error: { code: 'internal', message: truncateText(`${why}${seen}`, MAX_CHECK_MESSAGE_LENGTH) },
  }
}

/** The result of a check that our own fault prevented. */
export function inconclusiveResult(why: string, checkedAt: string): CheckResult {
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
    error: { code: 'internal', message: truncateText(why, MAX_CHECK_MESSAGE_LENGTH) },
    address: null,
    http_version: null,
    certificate: null,
    delayed: false,
  }
}

/** The result of a check that could not begin before the next one was due. */
export const skippedResult = (checkedAt: string): CheckResult =>
  inconclusiveResult('the probe was overloaded: the check could not begin before the next one was due', checkedAt)
