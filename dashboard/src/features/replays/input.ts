import type { AlertRule, ErrorDetail, EscalationPolicy, QuietTime, ReplayBody, ReplaySetBody } from '@vedette/shared'
import { DAY_MS, healthMetric, MINUTE_MS } from '@vedette/shared/tables'
import { changedFields } from '../../lib/edits.ts'
import { newKey } from '../../lib/rows.ts'
import { instantAt, localTimeAt } from '../../lib/time-zone.ts'
import { replays } from '../../messages/replays.ts'

const text = replays

/** Days until now, or two times. */
export const REPLAY_PERIODS = ['7', '30', '90', 'other'] as const
export type ReplayPeriod = (typeof REPLAY_PERIODS)[number]
const MAX_DAYS = 90
/** Of changes; what is configured is replayed as well. */
export const MAX_CHANGED_SETS = 2

export interface RuleChange {
  kind: 'rule'
  key: number
  /** As it is configured; undefined: not chosen yet. */
  rule: AlertRule | undefined
  /** The status of the condition. */
  value: string
  forSeconds: string
  severity: AlertRule['severity']
  enabled: boolean
  /** Id of the escalation policy; empty: the channels are notified. */
  policy: string
  channels: readonly string[]
}

export interface PolicyChange {
  kind: 'policy'
  key: number
  policy: EscalationPolicy | undefined
  /** Seconds, of each step. */
  waits: readonly string[]
}

export interface QuietChange {
  kind: 'quiet'
  key: number
  userId: string
  isOn: boolean
  quiet: QuietTime
}

export type Change = RuleChange | PolicyChange | QuietChange

export interface SetInput {
  key: number
  changes: readonly Change[]
  /** Further changes, as in a file of `vedette replay --sets`. */
  json: string
}

export interface ReplayInput {
  period: ReplayPeriod
  /** Local times, for other times than days until now. */
  from: string
  to: string
  /** Seconds; empty: never. */
  acknowledge: string
  sets: readonly SetInput[]
}

export const ruleChange = (key: number, rule?: AlertRule): RuleChange => ({
  kind: 'rule',
  key,
  rule,
  value: String(rule?.condition.value ?? ''),
  forSeconds: String(rule?.for_seconds ?? 0),
  severity: rule?.severity ?? 'warning',
  enabled: rule?.enabled ?? true,
  policy: rule?.escalation_policy_id ?? '',
  channels: rule?.channel_ids ?? [],
})

export const policyChange = (key: number, policy?: EscalationPolicy): PolicyChange => ({
  kind: 'policy',
  key,
  policy,
  waits: policy?.steps.map(({ wait_seconds: seconds }) => String(seconds)) ?? [],
})

export const newSet = (change: Change = ruleChange(newKey())): SetInput => ({ key: newKey(), changes: [change], json: '' })

/** `change`: what the page was opened for. */
export function newInput(nowMs: number, zone: string, change: Change | undefined): ReplayInput {
  const [from, to] = [localTimeAt(nowMs - 30 * DAY_MS, zone), localTimeAt(nowMs, zone)]
  return { period: '30', from, to, acknowledge: '', sets: change ? [newSet(change)] : [] }
}

/** Whether another condition of a rule can be replayed: of others only the incidents that really opened are stored. */
export const isReplayable = ({ target, condition }: AlertRule): boolean =>
  target.type === 'monitor' && condition.metric === 'status'

/** Whether another duration can be: what was found on servers is known from its changes. */
export const hasDuration = (rule: AlertRule): boolean => isReplayable(rule) || healthMetric(rule.condition.metric) !== undefined

function ruleBody({ rule, value, forSeconds, severity, enabled, policy, channels }: RuleChange) {
  if (!rule) return { id: '' }
  const { metric, operator, value: before } = rule.condition
  const after = {
    for_seconds: Number(forSeconds),
    severity,
    enabled,
    // A policy has its own channels, and repeats by itself.
    channel_ids: policy === '' ? [...channels] : [],
    repeat_seconds: policy === '' ? rule.repeat_seconds : null,
    escalation_policy_id: policy === '' ? null : policy,
  }
  const condition = isReplayable(rule) && value !== before && { condition: { metric, operator, value } }
  return { id: rule.id, ...condition, ...changedFields<Partial<typeof after>>(rule, after) }
}

const policyBody = ({ policy, waits }: PolicyChange) => ({
  id: policy?.id ?? '',
  ...(policy && { steps: policy.steps.map((step, index) => ({ ...step, wait_seconds: Number(waits[index]) })) }),
})

const quietBody = ({ userId, isOn, quiet }: QuietChange) => ({ user_id: userId, quiet_time: isOn ? quiet : null })

/** The field of a set in which the API takes the changes of a kind. */
const FIELDS = { rule: 'alert_rules', policy: 'escalation_policies', quiet: 'quiet_times' } as const
type Kind = keyof typeof FIELDS
const KINDS = Object.keys(FIELDS) as Kind[]

const bodyOf = (change: Change) =>
  change.kind === 'rule' ? ruleBody(change) : change.kind === 'policy' ? policyBody(change) : quietBody(change)

/** The set that a text is; of a file, which is a list, the one set that is not empty. A text says why it is none. */
export function readJson(typed: string): Record<string, unknown> | string {
  if (typed.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(typed)
  } catch (error) {
    return text.json.noJson((error as Error).message)
  }
  const sets = Array.isArray(value) ? value.filter((each) => !isObject(each) || Object.keys(each).length > 0) : [value]
  if (sets.length > 1) return text.json.several
  const set: unknown = sets[0] ?? {}
  return isObject(set) ? set : text.json.noSet
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is chosen comes first in each list, then what is pasted. */
function setBody({ changes, json }: SetInput): ReplaySetBody {
  const pasted = readJson(json)
  const body: Record<string, unknown> = typeof pasted === 'string' ? {} : { ...pasted }
  for (const kind of KINDS) {
    const own = changes.filter((change) => change.kind === kind).map(bodyOf)
    const more = body[FIELDS[kind]]
    if (own.length > 0) body[FIELDS[kind]] = [...own, ...(more === undefined ? [] : [more].flat())]
  }
  return body
}

export interface Period {
  fromMs: number
  toMs: number
}

/** Undefined for times that do not exist. Days end with the last full minute, since the clock of the browser may be ahead. */
export function periodOf({ period, from, to }: ReplayInput, nowMs: number, zone: string): Period | undefined {
  if (period !== 'other') {
    const toMs = nowMs - (nowMs % MINUTE_MS)
    return { fromMs: toMs - Number(period) * DAY_MS, toMs }
  }
  const [fromMs, toMs] = [instantAt(from, zone), instantAt(to, zone)]
  return fromMs === undefined || toMs === undefined ? undefined : { fromMs, toMs }
}

/** One request for each changed set: what is configured, and that set; without one what is configured alone. */
export function bodiesOf(input: ReplayInput, { fromMs, toMs }: Period): ReplayBody[] {
  const common = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    acknowledge_after_seconds: input.acknowledge === '' || input.sets.length === 0 ? null : Number(input.acknowledge),
  }
  if (input.sets.length === 0) return [{ ...common, sets: [{}] }]
  return input.sets.map((set) => ({ ...common, sets: [{}, setBody(set)] }))
}

/** What the page sees before it sends anything. */
export function faultsOf(input: ReplayInput, nowMs: number, zone: string): ErrorDetail[] {
  const period = periodOf(input, nowMs, zone)
  const faults: ErrorDetail[] = []
  if (!period) faults.push({ path: 'from', message: text.noSuchTime })
  else if (period.toMs <= period.fromMs || period.toMs - period.fromMs > MAX_DAYS * DAY_MS || period.toMs > nowMs)
    faults.push({ path: 'to', message: text.bounds(MAX_DAYS) })
  for (const [index, { changes, json }] of input.sets.entries()) {
    for (const [place, change] of changes.entries())
      if (!isChosen(change)) faults.push({ path: `sets.${index}.changes.${place}.id`, message: text.choose[change.kind] })
    const pasted = readJson(json)
    if (typeof pasted === 'string') faults.push({ path: `sets.${index}.json`, message: pasted })
  }
  return faults
}

const isChosen = (change: Change): boolean =>
  change.kind === 'rule'
    ? change.rule !== undefined
    : change.kind === 'policy'
      ? change.policy !== undefined
      : change.userId !== ''

/** Fields of changes that have a control; faults of others are shown at what is chosen. */
const SHOWN =
  /^(?:condition\.value|for_seconds|severity|escalation_policy_id|channel_ids|steps\.\d+\.wait_seconds|quiet_time\.\w+)$/

/**
 * The faults that the API found in the changed set with this index, by the fields of the form: `sets.0.changes.1.for_seconds`, and
 * `sets.0.json` for all of what was pasted, with the place in it.
 */
export function toFormFaults(details: readonly ErrorDetail[], sets: readonly SetInput[], index: number): ErrorDetail[] {
  const { changes = [] } = sets[index] ?? {}
  const pasted: string[] = []
  const faults = details.flatMap(({ path, message }): ErrorDetail[] => {
    const [, inSet] = /^sets\.\d+\.?(.*)$/.exec(path) ?? []
    if (inSet === undefined) return [{ path, message }]
    const [, field = '', number = '', rest = ''] = /^(\w+)\.(\d+)\.?(.*)$/.exec(inSet) ?? []
    const kind = KINDS.find((each) => FIELDS[each] === field)
    const own = changes.flatMap((change, place) => (change.kind === kind ? [place] : []))
    const place = own[Number(number)]
    if (kind === undefined || place === undefined) {
      const at = kind === undefined ? inSet : [field, Number(number) - own.length, rest].filter((part) => part !== '').join('.')
      pasted.push(at === '' ? message : `${at}: ${message}`)
      return []
    }
    const shown = `sets.${index}.changes.${place}`
    if (SHOWN.test(rest)) return [{ path: `${shown}.${rest}`, message }]
    return [{ path: `${shown}.id`, message: ['', 'id', 'user_id'].includes(rest) ? message : `${rest}: ${message}` }]
  })
  return pasted.length === 0 ? faults : [...faults, { path: `sets.${index}.json`, message: pasted.join('; ') }]
}
