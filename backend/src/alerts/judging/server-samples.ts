import { decodePushes, type FieldReading, LIVE_MS, type LiveWindows, readLive, type RecentPush } from '../../metrics/index.ts'
import type { SeenServer } from '../../servers/index.ts'
import type { RuleRow } from '../rules/store.ts'
import { judge, QUIET, type Verdict } from './judge.ts'
import type { MeanAsked, Means } from './means.ts'
import type { KnownMounts } from './mounts.ts'
import type { ServerFinding } from './server-follow.ts'
import type { Waited } from './server-schedule.ts'
import { type Found, findIn, type Mounts, slotsIn, toldOf, wantedOf } from './server-values.ts'

/** A server that is looked at. */
export interface Looked {
  waited: Waited
  server: SeenServer
  rules: readonly RuleRow[]
  /** By these rules something stands open. */
  open: ReadonlySet<string>
  /** Newest first. */
  pushes: readonly RecentPush[]
}

interface Work {
  mounts: KnownMounts
  windows: LiveWindows
  means: Means
  nowMs: number
}

/** What new samples of the moment make of a rule. */
interface Judged {
  looked: Looked
  rule: RuleRow
  found: Found
  verdict: Verdict
  /** Where the rule goes by a mean: it is asked only where the samples of the moment speak for it. */
  asked: MeanAsked | undefined
}

/** What the new samples of servers make of their rules, in the order of the servers. */
export async function sampleFindings(work: Work, looked: readonly Looked[]): Promise<ServerFinding[][]> {
  const judged: Judged[] = []
  for (const one of looked) judged.push(...(await judgeNewest(work, one)))
  const asked = judged.flatMap((one) => one.asked ?? [])
  const answers = await work.means.of(asked)
  const means = new Map(asked.map((one, index) => [one, answers[index]]))
  const found = Map.groupBy(judged, (one) => one.looked)
  return looked.map((one) =>
    (found.get(one) ?? []).flatMap((each) => findingOf(each, each.asked && { mean: means.get(each.asked) }, work.nowMs) ?? []),
  )
}

function findingOf(
  { looked, rule, found, verdict }: Judged,
  asked: { mean: number | undefined } | undefined,
  nowMs: number,
): ServerFinding | undefined {
  const value = asked ? asked.mean : found.value
  const says = asked ? verdictOf(looked, rule, value, nowMs) : verdict
  if (!says || value === undefined) return undefined
  return { rule, verdict: says, ...toldOf(looked.server, rule, { ...found, value }), atMs: nowMs }
}

async function judgeNewest(work: Work, looked: Looked): Promise<Judged[]> {
  const { waited, rules } = looked
  const ofSamples = rules.filter(({ metric }) => metric !== 'status')
  const fresh = freshOf(looked, work.nowMs)
  if (ofSamples.length === 0 || fresh.length === 0) return []
  const wanted = wantedOf(ofSamples)
  const pushes = decodePushes(fresh, wanted)
  work.windows.note(waited, pushes, wanted)
  const readings = readLive(pushes)
  const mounts = await work.mounts.of(waited, slotsIn(readings))
  const toMs = Math.max(...fresh.map(({ tLastMs }) => tLastMs))
  return ofSamples.flatMap((rule) => judgeBy(looked, rule, { readings, mounts, toMs }, work.nowMs) ?? [])
}

function judgeBy(
  looked: Looked,
  rule: RuleRow,
  { readings, mounts, toMs }: { readings: ReadonlyMap<number, FieldReading>; mounts: Mounts; toMs: number },
  nowMs: number,
): Judged | undefined {
  const found = findIn(rule, readings, mounts)
  const verdict = found && verdictOf(looked, rule, found.value, nowMs)
  if (!verdict) return undefined
  const asked = rule.for_seconds > 0 ? { waited: looked.waited, rule, fieldId: found.fieldId, toMs, verdict } : undefined
  return { looked, rule, found, verdict, asked }
}

const verdictOf = ({ open }: Looked, rule: RuleRow, value: number | undefined, nowMs: number): Verdict =>
  judge({ ...rule, for_seconds: 0 }, { ...QUIET, isOpen: open.has(rule.id) }, value, nowMs).verdict

/** Pushes that were not judged before and hold live samples; after a start the newest alone. */
function freshOf({ waited, pushes }: Looked, nowMs: number): RecentPush[] {
  const fresh = pushes.filter(
    ({ block, receivedAtMs, tLastMs }) => block !== null && receivedAtMs - tLastMs <= LIVE_MS && nowMs - receivedAtMs <= LIVE_MS,
  )
  return waited.judgedMs === 0 ? fresh.slice(0, 1) : fresh
}
