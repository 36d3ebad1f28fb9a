import type { CheckResult } from '@vedette/shared'
import { newId } from '../../../platform/ids.ts'
import { outcomeCode } from './outcome-code.ts'
import type { StatusTransition, AppliedCheck } from './apply.ts'

/** With the indexes of the checks, from 1; undefined when there is nothing to store. */
export function answerColumns(checks: readonly AppliedCheck[]): unknown[][] | undefined {
  const answers = checks.flatMap(({ observed: { result } }, index) => {
    const isFailed = result.outcome === 'down' || result.outcome === 'degraded'
    return isFailed && result.answer ? [{ ...result.answer, n: index + 1 }] : []
  })
  if (answers.length === 0) return undefined
  return [
    answers.map(({ n }) => n),
    answers.map(({ status_line: line }) => storable(line)),
    answers.map(({ body }) => (body === null ? null : storable(body))),
  ]
}

export function checkColumns(checks: readonly AppliedCheck[]): unknown[][] {
  const column = <T>(pick: (check: AppliedCheck) => T): T[] => checks.map(pick)
  const seen = <T>(pick: (result: CheckResult) => T): T[] => checks.map(({ observed }) => pick(observed.result))
  return [
    column(({ observed }) => observed.organization),
    column(({ observed }) => observed.monitor),
    column(({ observed }) => observed.region),
    column(({ observed }) => observed.fence),
    column(({ checkedAtMs }) => checkedAtMs),
    column(({ checkedAtMs }) => new Date(checkedAtMs).toISOString().slice(0, 10)),
    column(({ dueAtMs }) => dueAtMs),
    column(({ conclusiveAtMs }) => conclusiveAtMs),
    column(({ after }) => after.state),
    column(({ after }) => after.failures),
    column(({ after }) => after.successes),
    seen(({ certificate }) => (certificate === null ? null : Date.parse(certificate.expires_at))),
    seen(({ outcome }) => outcomeCode(outcome)),
    seen((result) => result.status_code),
    seen((result) => toUs(result.response_ms)),
    seen((result) => toUs(result.dns_ms)),
    seen((result) => toUs(result.connect_ms)),
    seen((result) => toUs(result.tls_ms)),
    seen((result) => toUs(result.first_byte_ms)),
    seen((result) => toUs(result.transfer_ms)),
    seen(({ error }) => error?.code ?? null),
    seen(({ error }) => (error === null ? null : storable(error.message))),
    seen(({ address }) => address),
    seen(({ delayed }) => delayed),
    seen(({ facts }) => (facts && Object.keys(facts).length > 0 ? storable(JSON.stringify(facts)) : null)),
  ]
}

export function transitionColumns(changes: readonly StatusTransition[]): unknown[][] {
  const column = <T>(pick: (change: StatusTransition) => T): T[] => changes.map(pick)
  return [
    column(({ organization }) => organization),
    column(({ monitor }) => monitor),
    column(() => newId()),
    column(({ atMs }) => new Date(atMs).toISOString()),
    column(({ from }) => from),
    column(({ to }) => to),
    column(({ reason }) => storable(reason)),
  ]
}

const toUs = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000))

/** The database rejects NUL and lone surrogates. */
const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
