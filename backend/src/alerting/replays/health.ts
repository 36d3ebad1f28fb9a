import { type HealthCode, healthMetric } from '@vedette/shared'
import { readFound, readHealthEvents, type StatusStep } from '../alerts/index.ts'
import { eventsKeptSince } from '../../notifying/event-stream/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { HealthHistory, RuleSet, Target } from './model.ts'

/** What is found of the rules that a set does not take as they are configured. */
export const changedCodes = (sets: readonly RuleSet[]): HealthCode[] => [
  ...new Set(sets.flatMap(({ rules }) => rules.flatMap((rule) => (rule.changed && healthMetric(rule.metric)) || []))),
]

export interface HealthPeriod {
  organization: number
  targets: readonly Target[]
  fromMs: number
  nowMs: number
  /** Changes that are read; `undefined` is returned where there are more. */
  limit: number
}

/** What was found on servers from the begin of a period, as far back as changes are kept; undefined where that are too many. */
export async function readHealthHistory(
  db: Db,
  codes: readonly HealthCode[],
  { organization, targets, fromMs, nowMs, limit }: HealthPeriod,
): Promise<HealthHistory | undefined> {
  const knownFromMs = Math.max(fromMs, eventsKeptSince(nowMs))
  const ids = targets.flatMap(({ type, id }) => (type === 'server' ? [id] : []))
  const publicIds = new Map(ids.map((id) => [encodeId('server', id), id]))
  const events = await readHealthEvents(db, organization, [...publicIds.keys()], new Date(knownFromMs), limit + 1)
  if (events.length > limit) return undefined
  const byServer = Map.groupBy(events, ({ server_id: id }) => publicIds.get(id) ?? '')
  const steps = new Map<string, readonly StatusStep[]>()
  for (const code of codes) {
    const found = new Map((await readFound(db, organization, ids, code)).map(({ id, since_ms: sinceMs }) => [id, sinceMs]))
    for (const id of new Set([...byServer.keys(), ...found.keys()])) {
      const changes = (byServer.get(id) ?? []).map(({ at, codes: after, former }) => ({
        atMs: at.getTime(),
        isFound: after.includes(code),
        wasFound: former.includes(code),
      }))
      steps.set(`${code} ${id}`, healthSteps(changes, found.get(id), knownFromMs))
    }
  }
  return { knownFromMs, steps }
}

/** From changes, oldest first: found is `down`. `sinceMs`: since when it is found now; undefined: it is not. Pure. */
export function healthSteps(
  changes: readonly { atMs: number; isFound: boolean; wasFound: boolean }[],
  sinceMs: number | undefined,
  fromMs: number,
): StatusStep[] {
  const wasFound = changes[0]?.wasFound ?? (sinceMs !== undefined && sinceMs <= fromMs)
  const all = [{ atMs: fromMs, isFound: wasFound }, ...changes]
  return all
    .filter(({ isFound }, index) => index === 0 || isFound !== all[index - 1]?.isFound)
    .map(({ atMs, isFound }) => ({ status: isFound ? 'down' : 'up', reason: '', atMs }))
}
