import { DAY_MS, MAX_REPLAY_DAYS, type Replay, type ReplayBody, type ReplaySetResult, toTimestamp } from '@vedette/shared'
import { listWindowsBetween, type StatusStep } from '../alerts/index.ts'
import type { Tenant } from '../../access/auth/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { type Db, inTransaction, type Reader } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { offlineAfterMs } from '../../hosts/servers/index.ts'
import { changedCodes, readHealthHistory } from './health.ts'
import type { RuleSet, World } from './model.ts'
import { readSet } from './read-set.ts'
import { replay, type SetResult, TooMuch } from './replay.ts'
import * as store from './store.ts'
import { toDifference, toSetResult } from './wire.ts'

export interface ReplayDeps {
  db: Db
  clock: Clock
  /** For stored history. */
  reader: Reader
  pushIntervalSeconds: number
}

/** Read for one replay. */
const MAX_CHANGES = 200_000
const MAX_RECORDED = 100_000

/** What one or two sets would have done in a period. Stores nothing. Throws validation_error. */
export async function runReplay(deps: ReplayDeps, tenant: Tenant, body: ReplayBody): Promise<Replay> {
  const period = periodOf(deps, body)
  const { world, configured } = await deps.reader(({ db }) => readWorld({ ...deps, db }, tenant.number, body, period))
  const { people } = world
  const sets = await inTransaction(deps.db, async (db) => {
    const all: RuleSet[] = []
    for (const [index, one] of body.sets.entries())
      all.push(await readSet({ db, clock: deps.clock, tenant, people }, configured, one, `sets.${index}`))
    return all
  })
  const codes = changedCodes(sets)
  if (codes.length > 0) {
    const { clock } = deps
    const scope = {
      organization: tenant.number,
      targets: world.targets,
      fromMs: period.fromMs,
      nowMs: clock.now(),
      limit: MAX_CHANGES,
    }
    const health = await deps.reader(({ db }) => readHealthHistory(db, codes, scope))
    if (!health) throw shorter(`more than ${MAX_CHANGES} changes of the health of servers`)
    world.health = health
  }
  const results: SetResult[] = []
  for (const set of sets) results.push(await bounded(() => replay(world, set, yieldToEventLoop)))
  const [first, second] = results
  const wire: ReplaySetResult[] = []
  for (const [index, result] of results.entries()) {
    await yieldToEventLoop()
    wire.push(toSetResult(world, body.sets[index]?.name, result))
  }
  return {
    from: toTimestamp(period.fromMs),
    to: toTimestamp(period.toMs),
    sets: wire,
    only_in: first && second ? await toDifference(world, [first, second], yieldToEventLoop) : [],
  }
}

interface Period {
  fromMs: number
  toMs: number
}

function periodOf({ clock }: ReplayDeps, body: ReplayBody): Period {
  const [fromMs, toMs] = [instantAt('from', body.from).getTime(), instantAt('to', body.to).getTime()]
  if (toMs <= fromMs) throw invalid({ path: 'to', message: 'must be after from' })
  if (toMs - fromMs > MAX_REPLAY_DAYS * DAY_MS)
    throw invalid({ path: 'to', message: `must be at most ${MAX_REPLAY_DAYS} days after from` })
  if (toMs > clock.now()) throw invalid({ path: 'to', message: 'must not be in the future' })
  return { fromMs, toMs }
}

const shorter = (what: string) => invalid({ path: 'from', message: `has ${what} until to: choose a shorter period` })

async function bounded(work: () => Promise<SetResult>): Promise<SetResult> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TooMuch ? shorter(error.message) : error
  }
}

async function readWorld(
  { db, pushIntervalSeconds }: ReplayDeps,
  organization: number,
  body: ReplayBody,
  { fromMs, toMs }: Period,
): Promise<{ world: World; configured: RuleSet }> {
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  const targets = await store.listTargets(db, organization)
  const transitions = await store.listTransitions(db, organization, from, MAX_CHANGES + 1)
  if (transitions.length > MAX_CHANGES) throw shorter(`more than ${MAX_CHANGES} changes of a status`)
  const recorded = await store.listRecorded(db, organization, { from, to }, MAX_RECORDED + 1)
  if (recorded.length > MAX_RECORDED) throw shorter(`more than ${MAX_RECORDED} incidents`)
  const people = await store.listPeople(db, organization)
  const channels = await store.listChannels(db, organization)
  const acknowledge = body.acknowledge_after_seconds ?? null
  return {
    world: {
      fromMs,
      toMs,
      targets,
      statuses: statusesOf(targets, transitions, { fromMs, toMs }),
      recorded,
      people: new Map(people.map((person) => [person.user_id, person])),
      channels: new Map(channels.map((channel) => [channel.id, channel])),
      offlineMs: offlineAfterMs(pushIntervalSeconds),
      acknowledgeAfterMs: acknowledge === null ? null : acknowledge * 1000,
    },
    configured: {
      rules: await store.listRules(db, organization),
      policies: await store.listPolicies(db, organization),
      schedules: await store.listSchedules(db, organization),
      windows: await listWindowsBetween(db, organization, from, to),
      quietTimes: new Map(people.flatMap(({ user_id: id, quiet_time: quiet }) => (quiet ? [[id, quiet]] : []))),
    },
  }
}

/** The status of each monitor at the beginning, and those that followed until the end. */
function statusesOf(
  targets: Awaited<ReturnType<typeof store.listTargets>>,
  transitions: readonly store.TransitionRow[],
  { fromMs, toMs }: Period,
): Map<string, StatusStep[]> {
  const byMonitor = Map.groupBy(transitions, ({ monitor }) => monitor)
  return new Map(
    targets.flatMap(({ type, id, number, current }) => {
      if (type !== 'monitor') return []
      const own = byMonitor.get(number) ?? []
      const first = own[0] ? own[0].from_status : current
      const changes = own.filter(({ at_ms: atMs }) => atMs < toMs)
      return [
        [
          id,
          [
            ...(first === null ? [] : [{ status: first, reason: '', atMs: fromMs }]),
            ...changes.map(({ to_status: status, at_ms: atMs }) => ({ status, reason: '', atMs })),
          ],
        ],
      ]
    }),
  )
}
