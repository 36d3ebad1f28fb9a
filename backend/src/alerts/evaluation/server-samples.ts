import { capacityMetric, entityMetric, isHostState } from '@vedette/shared'
import { decodePushes, type FieldReading, LIVE_MS, type LiveWindows, readLive, type RecentPush } from '../../metrics/index.ts'
import type { ServerPresence } from '../../servers/index.ts'
import type { RuleRow } from '../rules/store.ts'
import { evaluate, CLOSED, type EvaluationResult } from './evaluate.ts'
import type { MeanQuery, MeanReader } from './means.ts'
import type { MountCache } from './mounts.ts'
import type { ServerResult } from './apply-server-result.ts'
import { REPEATED_MS, type TrackedServer } from './server-schedule.ts'
import { type RuleValue, findRuleValue, type Mounts, mountSlotsIn, describeValue, fieldIdsOf } from './server-values.ts'

/** A server that is due, with what its evaluation needs. */
export interface DueServer {
  tracked: TrackedServer
  server: ServerPresence
  rules: readonly RuleRow[]
  /** Ids of the rules that have an open incident. */
  open: ReadonlySet<string>
  /** Newest first. */
  pushes: readonly RecentPush[]
}

interface SampleContext {
  mounts: MountCache
  windows: LiveWindows
  means: MeanReader
  nowMs: number
}

/** What the newest samples mean for a rule. */
interface SampleEvaluation {
  dueServer: DueServer
  rule: RuleRow
  match: RuleValue
  result: EvaluationResult
  /** For a rule on a mean: it is read only where the newest samples give the same result. */
  meanQuery: MeanQuery | undefined
  repeatedFromMs?: number
}

/** Evaluates the new samples of servers, in the order of the servers. */
export async function evaluateSamples(context: SampleContext, servers: readonly DueServer[]): Promise<ServerResult[][]> {
  const evaluations: SampleEvaluation[] = []
  for (const server of servers) evaluations.push(...(await evaluateNewest(context, server)))
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

function toServerResult(
  { dueServer, rule, match, result, repeatedFromMs }: SampleEvaluation,
  meanQuery: { mean: number | undefined } | undefined,
  nowMs: number,
): ServerResult | undefined {
  const value = meanQuery ? meanQuery.mean : match.value
  const finalResult = meanQuery ? resultOf(dueServer, rule, value, nowMs) : result
  if (!finalResult || value === undefined) return undefined
  // What interrupts a state decides; the text is about what it is now.
  const shown = isHostState(rule.metric) ? match.value : value
  const description = describeValue(dueServer.server, rule, { ...match, value: shown }, finalResult === 'resolved')
  return { rule, result: finalResult, ...description, value: shown, atMs: nowMs, repeatedFromMs }
}

async function evaluateNewest(context: SampleContext, dueServer: DueServer): Promise<SampleEvaluation[]> {
  const { tracked, rules } = dueServer
  const ofSamples = rules.filter(({ metric }) => metric !== 'status' && !entityMetric(metric) && !capacityMetric(metric))
  const newPushes = unevaluatedPushes(dueServer, context.nowMs)
  if (ofSamples.length === 0 || newPushes.length === 0) return []
  const wanted = fieldIdsOf(ofSamples)
  const pushes = decodePushes(newPushes, wanted)
  context.windows.addPushes(tracked, pushes, wanted)
  const repeated = tracked.evaluatedUntilMs === 0 ? pushes.slice(1) : []
  const readings = readLive(repeated.length === 0 ? pushes : pushes.slice(0, 1))
  const former = readLive(repeated)
  const mounts = await context.mounts.get(tracked, mountSlotsIn(new Map([...readings, ...former])))
  const toMs = Math.max(...newPushes.map(({ tLastMs }) => tLastMs))
  const repeatedFromMs = Math.min(...repeated.map(({ receivedAtMs }) => receivedAtMs))
  return ofSamples.flatMap((rule): SampleEvaluation | [] => {
    const ofNewest = evaluateRule(dueServer, rule, { readings, mounts, toMs }, context.nowMs)
    if (ofNewest || repeated.length === 0 || rule.for_seconds > 0) return ofNewest ?? []
    // What is repeated opens incidents, and resolves none: the newest push decides that.
    const ofFormer = evaluateRule(dueServer, rule, { readings: former, mounts, toMs }, context.nowMs)
    return ofFormer?.result === 'opened' ? { ...ofFormer, repeatedFromMs } : []
  })
}

function evaluateRule(
  dueServer: DueServer,
  rule: RuleRow,
  { readings, mounts, toMs }: { readings: ReadonlyMap<number, FieldReading>; mounts: Mounts; toMs: number },
  nowMs: number,
): SampleEvaluation | undefined {
  const match = findRuleValue(rule, readings, mounts)
  const result = match && resultOf(dueServer, rule, match.value, nowMs)
  if (!result) return undefined
  const meanQuery = rule.for_seconds > 0 ? { tracked: dueServer.tracked, rule, fieldId: match.fieldId, toMs, result } : undefined
  return { dueServer, rule, match, result, meanQuery }
}

const resultOf = ({ open }: DueServer, rule: RuleRow, value: number | undefined, nowMs: number): EvaluationResult =>
  evaluate({ ...rule, for_seconds: 0 }, { ...CLOSED, isOpen: open.has(rule.id) }, value, nowMs).result

/** Pushes with live samples that were not evaluated yet; of a server that was taken over the newest, and what is repeated. */
function unevaluatedPushes({ tracked, pushes }: DueServer, nowMs: number): RecentPush[] {
  const newPushes = pushes.filter(
    ({ block, receivedAtMs, tLastMs }) => block !== null && receivedAtMs - tLastMs <= LIVE_MS && nowMs - receivedAtMs <= LIVE_MS,
  )
  if (tracked.evaluatedUntilMs > 0) return newPushes
  const fromMs = (tracked.takenOverMs ?? Number.POSITIVE_INFINITY) - REPEATED_MS
  return newPushes.filter(({ receivedAtMs }, index) => index === 0 || receivedAtMs > fromMs)
}
