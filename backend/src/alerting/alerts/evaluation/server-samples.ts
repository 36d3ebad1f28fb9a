import { capacityMetric, entityMetric, healthMetric, isHostCertificateMetric, isHostState } from '@vedette/shared'
import { decodePushes, type FieldReading, type LiveWindows, readLive, type RecentPush } from '../../../hosts/metrics/index.ts'
import { findLastChanges } from '../../incidents/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { MeasuredServer } from '../../../hosts/servers/index.ts'
import type { RuleRow } from '../rules/store.ts'
import type { ServerResult } from './apply-server-result.ts'
import { evaluate, CLOSED, type EvaluationResult } from './evaluate.ts'
import type { MeanQuery, MeanReader } from './means.ts'
import type { MountCache } from './mounts.ts'
import { changedAt, evaluateReadings, readingsSince } from './readings.ts'
import { newestPush, newPushes } from './server-pushes.ts'
import type { TrackedServer } from './server-schedule.ts'
import { type RuleValue, findRuleValue, type Mounts, mountSlotsIn, describeValue, fieldIdsOf } from './server-values.ts'

/** A server that is due, with what its evaluation needs. */
export interface DueServer {
  tracked: TrackedServer
  server: MeasuredServer
  rules: readonly RuleRow[]
  /** Ids of the rules that have an open incident. */
  open: ReadonlySet<string>
  /** Newest first. */
  pushes: readonly RecentPush[]
  /** Of a server that was taken over, by rule: another process has evaluated what was received until then, ms. */
  evaluatedBefore?: ReadonlyMap<string, number>
}

interface SampleContext {
  db: Db
  mounts: MountCache
  windows: LiveWindows
  means: MeanReader
  nowMs: number
}

/** What the samples of one push say. */
interface PushReading {
  receivedAtMs: number
  tLastMs: number
  fields: ReadonlyMap<number, FieldReading>
}

/** What new samples mean for a rule. */
interface SampleEvaluation {
  dueServer: DueServer
  rule: RuleRow
  match: RuleValue
  result: EvaluationResult
  /** For a rule on a mean: it is read only where the newest samples give the same result. */
  meanQuery?: MeanQuery
  repeatedFromMs?: number | undefined
  /** The receipt of the push that caused it, ms. */
  receivedAtMs?: number
}

/** Evaluates the new samples of servers, in the order of the servers. */
export async function evaluateSamples(context: SampleContext, servers: readonly DueServer[]): Promise<ServerResult[][]> {
  const evaluations: SampleEvaluation[] = []
  for (const server of servers) evaluations.push(...(await evaluatePushes(context, server)))
  await repeatTakenOver(context, evaluations)
  const queries = evaluations.flatMap(({ meanQuery }) => meanQuery ?? [])
  const answers = await context.means.read(queries)
  const means = new Map(queries.map((query, index) => [query, answers[index]]))
  const byServer = Map.groupBy(evaluations, ({ dueServer }) => dueServer)
  return servers.map((server) =>
    (byServer.get(server) ?? []).flatMap((evaluation) => {
      const { meanQuery } = evaluation
      return toServerResult(evaluation, meanQuery && { mean: means.get(meanQuery) }, context.nowMs) ?? []
    }),
  )
}

/**
 * Evaluates servers that were taken over again, where they have a result: what was received before the last change of an incident
 * has been evaluated. What came later and was evaluated has changed nothing, so that it changes nothing now.
 */
async function repeatTakenOver(context: SampleContext, evaluations: SampleEvaluation[]): Promise<void> {
  const repeated = evaluations.filter(({ repeatedFromMs }) => repeatedFromMs !== undefined)
  if (repeated.length === 0) return
  const changes = await findLastChanges(
    context.db,
    [...new Set(repeated.map(({ dueServer }) => dueServer.tracked.organization))],
    [...new Set(repeated.map(({ rule }) => rule.id))],
    [...new Set(repeated.map(({ dueServer }) => dueServer.server.id))],
    new Date(Math.min(...repeated.map(({ repeatedFromMs = 0 }) => repeatedFromMs))),
  )
  for (const [dueServer, own] of Map.groupBy(repeated, (one) => one.dueServer)) {
    const changed = own.flatMap(({ rule }): [string, number][] => {
      const atMs = changes.get(`${rule.id} ${dueServer.server.id}`)
      return atMs === undefined ? [] : [[rule.id, atMs]]
    })
    if (changed.length === 0) continue
    const again = await evaluatePushes(context, { ...dueServer, evaluatedBefore: new Map(changed) })
    const rest = evaluations.filter((one) => one.dueServer !== dueServer)
    evaluations.splice(0, evaluations.length, ...rest, ...again.map((one) => ({ ...one, dueServer })))
  }
}

function toServerResult(
  { dueServer, rule, match, result, repeatedFromMs, receivedAtMs }: SampleEvaluation,
  meanQuery: { mean: number | undefined } | undefined,
  nowMs: number,
): ServerResult | undefined {
  const value = meanQuery ? meanQuery.mean : match.value
  const finalResult = meanQuery ? resultOf(dueServer, rule, value, nowMs) : result
  if (!finalResult || value === undefined) return undefined
  // What interrupts a state decides; the text is about what it is now.
  const shown = isHostState(rule.metric) ? match.value : value
  const description = describeValue(dueServer.server, rule, { ...match, value: shown }, finalResult === 'resolved')
  return { rule, result: finalResult, ...description, value: shown, atMs: changedAt(nowMs, receivedAtMs), repeatedFromMs }
}

async function evaluatePushes(context: SampleContext, dueServer: DueServer): Promise<SampleEvaluation[]> {
  const { tracked, rules } = dueServer
  const ofOthers = [entityMetric, capacityMetric, healthMetric, isHostCertificateMetric]
  const ofSamples = rules.filter(({ metric }) => metric !== 'status' && !ofOthers.some((of) => of(metric)))
  const pushes = pushesToEvaluate(dueServer, context.nowMs)
  if (ofSamples.length === 0 || pushes.length === 0) return []
  const wanted = fieldIdsOf(ofSamples)
  const readings = readByPush(context, tracked, pushes, wanted)
  const slots = readings.flatMap(({ fields }) => mountSlotsIn(fields))
  const mounts = await context.mounts.get(tracked, [...new Set(slots)])
  return ofSamples.flatMap((rule) =>
    rule.for_seconds > 0
      ? evaluateNewest(dueServer, rule, { readings, mounts }, context.nowMs)
      : evaluateEach(dueServer, rule, { readings, mounts }, context.nowMs),
  )
}

function pushesToEvaluate({ tracked, pushes }: DueServer, nowMs: number): RecentPush[] {
  const own = newPushes(tracked, pushes, nowMs)
  return own.length === 0 && tracked.resumesFrom === 'newest' ? newestPush(pushes, nowMs) : own
}

/** What was received together is one push: an hour that began within it has divided it. */
function readByPush(
  { windows }: SampleContext,
  tracked: TrackedServer,
  pushes: readonly RecentPush[],
  wanted: ReadonlySet<number>,
): PushReading[] {
  const decoded = decodePushes(pushes, wanted)
  windows.addPushes(tracked, decoded, wanted)
  const byReceipt = Map.groupBy(decoded, ({ receivedAtMs }) => receivedAtMs)
  return [...byReceipt].map(([receivedAtMs, parts]) => ({
    receivedAtMs,
    tLastMs: Math.max(...parts.map(({ tLastMs }) => tLastMs)),
    fields: readLive(parts),
  }))
}

interface RuleReadings {
  readings: readonly PushReading[]
  mounts: Mounts
}

/** A rule without a duration: each push may open or resolve. */
function evaluateEach(
  dueServer: DueServer,
  rule: RuleRow,
  { readings, mounts }: RuleReadings,
  nowMs: number,
): SampleEvaluation[] {
  const { tracked, open, evaluatedBefore } = dueServer
  const untilMs = evaluatedBefore?.get(rule.id) ?? Number.NEGATIVE_INFINITY
  const own = readingsSince(rule.defined_at.getTime(), readings, nowMs)
    .filter(({ receivedAtMs }) => receivedAtMs > untilMs)
    .map(({ receivedAtMs, fields }) => {
      const match = findRuleValue(rule, fields, mounts)
      return { receivedAtMs, match, value: match?.value }
    })
  return evaluateReadings(rule, open.has(rule.id), own).transitions.flatMap(
    ({ result, reading: { match, receivedAtMs } }, index): SampleEvaluation | [] => {
      // Another process may evaluate it at this moment: then it does the following ones, too.
      const isRepeated = index === 0 && receivedAtMs <= (tracked.takenOverMs ?? Number.NEGATIVE_INFINITY)
      return match ? { dueServer, rule, match, result, receivedAtMs, repeatedFromMs: isRepeated ? receivedAtMs : undefined } : []
    },
  )
}

/** A rule on a mean, or on a state that must hold: the newest push says whether the time before is worth reading. */
function evaluateNewest(
  dueServer: DueServer,
  rule: RuleRow,
  { readings, mounts }: RuleReadings,
  nowMs: number,
): SampleEvaluation[] {
  const newest = readings.at(-1)
  const match = newest && findRuleValue(rule, newest.fields, mounts)
  const result = match && resultOf(dueServer, rule, match.value, nowMs)
  if (!result) return []
  const toMs = Math.max(...readings.map(({ tLastMs }) => tLastMs))
  const meanQuery = { tracked: dueServer.tracked, rule, fieldId: match.fieldId, toMs, result }
  return [{ dueServer, rule, match, result, meanQuery }]
}

const resultOf = ({ open }: DueServer, rule: RuleRow, value: number | undefined, nowMs: number): EvaluationResult =>
  evaluate({ ...rule, for_seconds: 0 }, { ...CLOSED, isOpen: open.has(rule.id) }, value, nowMs).result
