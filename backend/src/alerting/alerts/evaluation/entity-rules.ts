import { entityMetric } from '@vedette/shared'
import {
  findEntities,
  findNamed,
  type NamedEntityRow,
  readRecent,
  type RecentEntities,
  type RecentEntity,
} from '../../../hosts/entities/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { RuleRow } from '../rules/store.ts'
import type { ServerResult } from './apply-server-result.ts'
import { describeEntity } from './describe-entity.ts'
import { CLOSED, evaluate } from './evaluate.ts'
import { interruption } from './host-state.ts'
import type { DueServer } from './server-samples.ts'

interface EntityContext {
  db: Db
  nowMs: number
  pushIntervalSeconds: number
}

/** So many pushes may be missing until what was read of a server is not its state any more. */
const MISSED = 3
/** Entities that an incident names. */
const NAMED = 5

/** What is known of the entities of a server that its rules are about. */
interface ServerEntities {
  recent: RecentEntities
  named: readonly NamedEntityRow[]
}

interface EntityFinding {
  dueServer: DueServer
  rule: RuleRow
  result: 'opened' | 'resolved'
  shown: readonly EntityValue[]
  others: number
}

interface EntityValue {
  number: number
  newest: number
  /** The value that the condition must hold for to open an incident; undefined while the time is not covered. */
  held: number | undefined
}

/** Evaluates the rules on entities of servers that pushed, in the order of the servers. */
export async function evaluateEntities(context: EntityContext, servers: readonly DueServer[]): Promise<ServerResult[][]> {
  const due = servers.filter(({ pushes, rules }) => pushes.length > 0 && rules.some(({ metric }) => entityMetric(metric)))
  if (due.length === 0) return servers.map(() => [])
  const results = new Map<DueServer, ServerResult[]>()
  for (const [organization, own] of Map.groupBy(due, ({ tracked }) => tracked.organization)) {
    const known = await readKnown(context, organization, own)
    const found = own.flatMap((dueServer) => {
      const of = known.get(dueServer)
      const isFresh = of && context.nowMs - of.recent.atMs <= MISSED * context.pushIntervalSeconds * 1_000
      return isFresh ? dueServer.rules.flatMap((rule) => evaluateRule(context, dueServer, rule, of) ?? []) : []
    })
    for (const [dueServer, all] of Map.groupBy(await describe(context, organization, found), ([server]) => server))
      results.set(
        dueServer,
        all.map(([, result]) => result),
      )
  }
  return servers.map((server) => results.get(server) ?? [])
}

async function readKnown({ db, nowMs, pushIntervalSeconds }: EntityContext, organization: number, own: readonly DueServer[]) {
  const rules = own.flatMap((server) => server.rules.filter(({ metric }) => entityMetric(metric)))
  const kinds = [...new Set(rules.flatMap(({ metric }) => entityMetric(metric)?.kind ?? []))]
  const longestMs = Math.max(...rules.map(({ for_seconds: seconds }) => seconds)) * 1_000
  const numbers = own.map(({ tracked }) => tracked.server)
  const sinceMs = nowMs - longestMs - MISSED * pushIntervalSeconds * 1_000
  const recent = await readRecent(db, organization, numbers, kinds, sinceMs)
  const patterns = rules.flatMap(({ metric, entity_name: pattern }) => {
    const kind = entityMetric(metric)?.kind
    return kind && pattern !== null ? [{ kind, pattern }] : []
  })
  const unique = [...new Map(patterns.map((one) => [`${one.kind} ${one.pattern}`, one])).values()]
  const named = Map.groupBy(await findNamed(db, organization, numbers, unique), ({ server }) => server)
  return new Map(
    own.flatMap((server): [DueServer, ServerEntities][] => {
      const of = recent.get(server.tracked.server)
      return of ? [[server, { recent: of, named: named.get(server.tracked.server) ?? [] }]] : []
    }),
  )
}

function evaluateRule(
  context: EntityContext,
  dueServer: DueServer,
  rule: RuleRow,
  known: ServerEntities,
): EntityFinding | undefined {
  const metric = entityMetric(rule.metric)
  if (!metric) return undefined
  const values = matching(rule, metric.kind, known).flatMap(({ number, name }) => {
    const entity = known.recent.entities.get(number)
    const value = entity && valueOf(rule, metric.field, entity, known.recent.atMs, context.pushIntervalSeconds)
    // One that a rule names and that is gone does not run.
    const isGone = !entity || (entity.readings.at(-1)?.atMs ?? 0) < known.recent.atMs
    if (isGone) return metric.field === 'running' && name === rule.entity_name ? [{ number, newest: 0, held: 0 }] : []
    return value ?? []
  })
  const isOpen = dueServer.open.has(rule.id)
  // To open, the condition has to hold all the time; it has ended once the newest value is back.
  const compared = values.flatMap((one) => {
    const value = isOpen ? one.newest : one.held
    return value === undefined ? [] : [{ ...one, value }]
  })
  const sorted = compared.toSorted((one, other) => distance(rule, other.value) - distance(rule, one.value))
  const [worst] = sorted
  const instantly = { ...rule, for_seconds: 0 }
  const result = worst && evaluate(instantly, { ...CLOSED, isOpen }, worst.value, context.nowMs).result
  if (!result) return undefined
  const beyond = sorted.filter(({ value }) => evaluate(instantly, CLOSED, value, context.nowMs).result === 'opened')
  const shown = result === 'resolved' ? [worst] : beyond.slice(0, NAMED)
  return { dueServer, rule, result, shown, others: result === 'resolved' ? 0 : beyond.length - shown.length }
}

/** The entities that the rule is about; their names where the rule names them. */
function matching(
  { entity_name: pattern }: RuleRow,
  kind: string,
  { recent, named }: ServerEntities,
): { number: number; name: string | undefined }[] {
  if (pattern !== null)
    return named.filter((row) => row.pattern === pattern && (recent.entities.get(row.number)?.kind ?? kind) === kind)
  return [...recent.entities.values()].flatMap((entity) =>
    entity.kind === kind ? [{ number: entity.number, name: undefined }] : [],
  )
}

/** How far the value is beyond the threshold. */
function distance({ operator, value: bound }: RuleRow, value: number): number {
  if (operator === 'equals') return value === bound ? 1 : 0
  return operator === 'greater_than' ? value - Number(bound) : Number(bound) - value
}

function valueOf(
  rule: RuleRow,
  field: string,
  entity: RecentEntity,
  atMs: number,
  pushIntervalSeconds: number,
): EntityValue | undefined {
  const known = entity.readings.flatMap((reading) => {
    const value = reading.values[field]
    return value === undefined ? [] : [{ atMs: reading.atMs, value }]
  })
  const newest = known.at(-1)
  if (newest?.atMs !== atMs) return undefined
  if (rule.for_seconds === 0) return { number: entity.number, newest: newest.value, held: newest.value }
  const fromMs = atMs - rule.for_seconds * 1_000
  // Readings do not come to the millisecond: the first may lie within half an interval of the begin.
  const slackMs = pushIntervalSeconds * 500
  const within = known.filter(({ atMs: at }) => at >= fromMs - slackMs)
  const isCovered = (within[0]?.atMs ?? atMs) <= fromMs + slackMs
  const all = within.map(({ value }) => value)
  const held = isCovered ? interruption(rule, { least: Math.min(...all), greatest: Math.max(...all) }) : undefined
  return { number: entity.number, newest: newest.value, held }
}

/** With the names of what is shown. */
async function describe(
  { db, nowMs }: EntityContext,
  organization: number,
  found: readonly EntityFinding[],
): Promise<[DueServer, ServerResult][]> {
  const keys = found.flatMap(({ dueServer, shown }) => shown.map(({ number }) => ({ server: dueServer.tracked.server, number })))
  const rows = keys.length === 0 ? [] : await findEntities(db, organization, keys)
  return found.map(({ dueServer, rule, result, shown, others }) => {
    const entities = shown.flatMap(({ number, newest }) => {
      const row = rows.find((one) => one.server === dueServer.tracked.server && one.number === number)
      return row ? [{ entity_id: encodeId('entity', row.id), name: row.name, attributes: row.attributes, value: newest }] : []
    })
    const value = shown[0]?.newest ?? 0
    const summary = describeEntity(dueServer.server.name, rule, entities, others)
    const kind = entityMetric(rule.metric)?.kind
    return [dueServer, { rule, result, summary, evidence: { metric: rule.metric, value, kind, entities }, value, atMs: nowMs }]
  })
}
