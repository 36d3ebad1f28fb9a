import { type ErrorDetail, type IdKind, isTimeZone, type ReplaySetBody } from '@vedette/shared'
import { changedRule } from '../alerts/index.ts'
import type { Tenant } from '../../access/auth/index.ts'
import { changedPolicy } from '../../notifying/escalation/index.ts'
import { changedSchedule } from '../../notifying/on-call/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { newId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Person, ReplayRule, RuleSet } from './model.ts'

interface Deps {
  db: Db
  clock: Clock
  tenant: Tenant
  people: ReadonlyMap<string, Person>
}

/** Changes of these leave open incidents as they are. */
const COSMETIC: ReadonlySet<string> = new Set([
  'id',
  'name',
  'severity',
  'channel_ids',
  'repeat_seconds',
  'escalation_policy_id',
  'enabled',
])

/** What is configured, with what a body changes. Run it in a transaction. Throws validation_error that names the place. */
export async function readSet(deps: Deps, configured: RuleSet, body: ReplaySetBody, path: string): Promise<RuleSet> {
  const { db, clock, tenant } = deps
  const at = new Date(clock.now())
  const set: RuleSet = { ...configured, quietTimes: new Map(configured.quietTimes) }
  for (const [index, { id, ...change }] of (body.escalation_policies ?? []).entries())
    set.policies = await within(`${path}.escalation_policies.${index}`, async () => {
      const before = findOne('escalationPolicy', set.policies, id, 'an escalation policy')
      if (!before) requireFields(change, ['name', 'steps'])
      const columns = await changedPolicy(db, tenant, before, change)
      return put(set.policies, { managed: null, created_at: at, updated_at: at, id: newId(), ...before, ...columns })
    })
  for (const [index, { id, ...change }] of (body.schedules ?? []).entries())
    set.schedules = await within(`${path}.schedules.${index}`, async () => {
      const before = findOne('schedule', set.schedules, id, 'a schedule')
      if (!before) requireFields(change, ['name'])
      const columns = await changedSchedule({ db, clock }, tenant, before && { name: '', ...before }, change)
      return put(set.schedules, { id: newId(), ...before, ...columns })
    })
  for (const [index, { id, ...change }] of (body.alert_rules ?? []).entries())
    set.rules = await within(`${path}.alert_rules.${index}`, async () => {
      const before = findOne('alertRule', set.rules, id, 'an alert rule')
      if (!before) requireFields(change, ['name', 'target', 'condition'])
      if (before?.target_type === 'source')
        throw invalid({ path: 'id', message: 'is an alert source, which has its own settings' })
      if (before?.target_type === 'slo') throw invalid({ path: 'id', message: 'is a rule of an SLO, which is changed with it' })
      const columns = await changedRule(db, tenant, before as Parameters<typeof changedRule>[2] | undefined, change)
      const changed = before ? changeOf(before, columns, change) : ('new' as const)
      return put(set.rules, { id: newId(), ...before, ...columns, ...(changed && { changed }) })
    })
  for (const [index, { user_id: text, quiet_time: quiet }] of (body.quiet_times ?? []).entries()) {
    const place = `${path}.quiet_times.${index}`
    const userId = parseId('user', text)
    if (userId === undefined || !deps.people.has(userId))
      throw invalid({ path: `${place}.user_id`, message: 'is not a member of this organization' })
    if (quiet && !isTimeZone(quiet.time_zone))
      throw invalid({ path: `${place}.quiet_time.time_zone`, message: 'must be a time zone, for example Europe/Berlin' })
    if (quiet) set.quietTimes.set(userId, quiet)
    else set.quietTimes.delete(userId)
  }
  return leaveOut(set, body.without ?? [], `${path}.without`)
}

/** What a change of a rule means for the incidents that it opened. */
function changeOf(before: ReplayRule, { enabled }: { enabled: boolean }, change: object): ReplayRule['changed'] {
  if (Object.keys(change).some((name) => !COSMETIC.has(name))) return 'redefined'
  return before.changed ?? (enabled && !before.enabled ? 'enabled' : undefined)
}

/** Adds the place to the errors of what is read there. */
async function within<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_error') throw error
    const details = error.details ?? []
    throw invalid(...details.map((one) => ({ ...one, path: one.path === '' ? path : `${path}.${one.path}` })))
  }
}

function findOne<Row extends { id: string }>(
  kind: IdKind,
  rows: readonly Row[],
  text: string | undefined,
  noun: string,
): Row | undefined {
  if (text === undefined) return undefined
  const row = rows.find(({ id }) => id === parseId(kind, text))
  if (!row) throw invalid({ path: 'id', message: `is not ${noun} of this organization` })
  return row
}

function requireFields(body: object, names: readonly string[]): void {
  const missing = names.filter((name) => !(name in body))
  const faults: ErrorDetail[] = missing.map((name) => ({ path: name, message: 'is required without an id' }))
  if (faults.length > 0) throw invalid(...faults)
}

/** In the place of the one with its id, or behind all. */
const put = <Row extends { id: string }>(rows: readonly Row[], row: Row): Row[] =>
  rows.some(({ id }) => id === row.id) ? rows.map((one) => (one.id === row.id ? row : one)) : [...rows, row]

function leaveOut(set: RuleSet, texts: readonly string[], path: string): RuleSet {
  const left = { ...set }
  for (const [index, text] of texts.entries()) {
    const [rule, policy, window] = [
      parseId('alertRule', text),
      parseId('escalationPolicy', text),
      parseId('maintenanceWindow', text),
    ]
    const counts = [left.rules.length, left.policies.length, left.windows.length]
    left.rules = left.rules.filter(({ id }) => id !== rule)
    left.policies = left.policies.filter(({ id }) => id !== policy)
    left.windows = left.windows.filter(({ id }) => id !== window)
    const isFound = [left.rules.length, left.policies.length, left.windows.length].some((count, place) => count !== counts[place])
    if (!isFound)
      throw invalid({
        path: `${path}.${index}`,
        message: 'is not an alert rule, escalation policy or maintenance window of this organization',
      })
  }
  const user = left.rules.find((rule) => {
    const { escalation_policy_id: policy } = rule
    return rule.enabled && policy !== null && !left.policies.some(({ id }) => id === policy)
  })
  if (user) throw invalid({ path, message: `must not name the escalation policy of the alert rule ${user.name}` })
  return left
}
