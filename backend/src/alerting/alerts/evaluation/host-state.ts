import { type HostState, MAX_FAILED_UNITS } from '@vedette/shared'

/** Names in a text; the page of the server has all. */
const NAMED = 5

/** What a state of a host is about: the names that its newest state has. Pure. */
export function namesOf(metric: string, host: HostState | undefined): readonly string[] {
  if (metric === 'host.failed_units') return host?.failed_units ?? []
  return metric === 'host.missing_processes' ? (host?.missing_processes ?? []) : []
}

/**
 * A state of a host in one line: `web-1: 2 failed units: nginx.service, foo.service`. The names are those of its newest state, which
 * may be newer than the value; without them there is the count alone. Pure.
 */
export function describeHostState(name: string, metric: string, value: number, names: readonly string[] = []): string {
  if (metric === 'host.reboot_required') return value > 0 ? `${name} needs a restart` : `${name} needs no restart`
  const isUnits = metric === 'host.failed_units'
  if (value === 0) return `${name}: ${isUnits ? 'no failed units' : 'no process is missing'}`
  // A full list may be cut.
  const count = names.length === 0 ? value : names.length < MAX_FAILED_UNITS ? names.length : Math.max(names.length, value)
  const list = listOf(names, count)
  if (isUnits) return `${name}: ${count} failed ${count === 1 ? 'unit' : 'units'}${list === '' ? '' : `: ${list}`}`
  if (count > 1) return `${name}: ${count} processes are missing${list === '' ? '' : `: ${list}`}`
  return `${name}: ${list === '' ? 'a process' : `process ${list}`} is missing`
}

function listOf(names: readonly string[], count: number): string {
  const listed = names.slice(0, NAMED).join(', ')
  return count > NAMED && listed !== '' ? `${listed} and ${count - NAMED} more` : listed
}

/**
 * Of the values of a time the one that the condition of a state is evaluated for, so that it must hold without interruption: the
 * furthest from the condition. Pure.
 */
export function interruption(
  { operator, value }: { operator: string; value: string | number },
  { least, greatest }: { least: number; greatest: number },
): number {
  if (operator === 'greater_than') return least
  if (operator === 'less_than') return greatest
  return least === value ? greatest : least
}
