import type { Dependency } from '@vedette/shared'
import { keyOf } from '../../../monitoring/dependencies/index.ts'
import {
  insertIncidentEvent,
  listSuppressed,
  lockFamilies,
  markUnsuppressed,
  notifyOfStep,
  readParents,
  recordParents,
  type SuppressedIncident,
} from '../../incidents/index.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { offlineAfterMs } from '../../../hosts/servers/index.ts'
import { type Candidate, chooseParents } from './choose-parents.ts'
import {
  findDownParents,
  findFlapping,
  findWindow,
  mayWait,
  readSuppressionState,
  type SuppressionState,
  type SuppressionTarget,
} from './suppression.ts'
import { EVALUATION_MS, hostRecoveryMs, MAX_WAIT_MS } from './suppression-rules.ts'
import { type LastChecks, type ParentWait, readLastChecks, readWaits } from './suppression-store.ts'

// A suppressed incident of something that depends on others, by what the review finds: it waits for the next check of its parents
// → a parent is down → none is any more, and it waits for its own next check → notified. Each may end by the end of the incident.

/** Incidents that are read together. */
const BATCH_SIZE = 500
/** Incidents of one review: tens of thousands of one outage do not delay the next jobs. */
const BATCHES = 10
/** A monitor whose next check does not come is notified after two intervals and this. */
const CHECK_GRACE_MS = 60_000

interface ReviewDeps {
  db: Db
  clock: Clock
  pushIntervalSeconds: number
}

/**
 * Notifies of incidents that opened suppressed and are still open, once the reason has ended. Each call continues where the last one
 * ended: incidents that stay suppressed do not delay others. Any number of processes may run it.
 */
export function createSuppressionReview(deps: ReviewDeps): () => Promise<void> {
  let last: SuppressedIncident | undefined
  return async () => {
    const at = new Date(deps.clock.now())
    for (let batches = 0; batches < BATCHES; batches += 1) {
      const batch = await listSuppressed(deps.db, last, BATCH_SIZE)
      last = batch.length < BATCH_SIZE ? undefined : batch.at(-1)
      for (const [organization, incidents] of Map.groupBy(batch, (one) => one.organization))
        await reviewSome(deps, organization, incidents, at)
      if (!last) return
    }
  }
}

interface Review {
  state: SuppressionState
  /** By the key of the dependency. */
  waits: ReadonlyMap<string, ParentWait>
  /** By the number of the monitor. */
  lastChecks: ReadonlyMap<number, LastChecks>
  offlineMs: number
  at: Date
}

const targetOf = (incident: SuppressedIncident): SuppressionTarget => ({
  type: incident.target_type,
  id: incident.target_id,
  series: incident.series ?? undefined,
  ruleId: incident.rule_id,
  metric: incident.metric,
  openedAt: incident.incident_at,
  labels: incident.external?.labels,
})

async function reviewSome(
  { db, pushIntervalSeconds }: ReviewDeps,
  organization: number,
  incidents: readonly SuppressedIncident[],
  at: Date,
): Promise<void> {
  const ids = incidents.map(({ target_id: id }) => id)
  const state = await readSuppressionState(db, organization, ids, at)
  const offlineMs = offlineAfterMs(pushIntervalSeconds)
  const subjectOf = ({ target_id: id }: SuppressedIncident) => state.subjects.get(id)
  const below = await recordDown(db, organization, state, incidents)
  const others = incidents.filter((incident) => !below.has(incident))
  const up = others.filter(({ has_down_parent: hasDown }) => hasDown)
  if (up.length > 0)
    await recordParents(
      db,
      organization,
      up.map((incident) => ({ incident, hasDownParent: false, parentId: null, upAt: at })),
    )
  const left = others.filter(({ has_down_parent: hasDown }) => !hasDown)
  const waiting = left.filter((incident) => mayWait(state, targetOf(incident)) && incident.parents_up_at === null)
  const named = new Map<string, Dependency>()
  for (const incident of waiting) for (const one of subjectOf(incident)?.depends_on ?? []) named.set(keyOf(one), one)
  const limits = { nowMs: at.getTime(), offlineMs: offlineMs + EVALUATION_MS }
  const waits = await readWaits(db, organization, [...named.values()], limits)
  const recovered = left.filter(({ parents_up_at: upAt }) => upAt !== null)
  const numbers = recovered.flatMap((incident) => subjectOf(incident)?.number ?? [])
  const lastChecks = await readLastChecks(db, organization, numbers)
  const keys = [...named.keys()]
  const review = { state, waits: new Map([...waits].map(([n, wait]) => [keys[n] as string, wait])), lastChecks, offlineMs, at }
  for (const incident of left) await reviewOne(db, review, incident)
}

async function reviewOne(db: Db, review: Review, incident: SuppressedIncident): Promise<void> {
  const { state, at } = review
  const target = targetOf(incident)
  if (findWindow(state, target) || waitsForParents(review, incident) || waitsForCheck(review, incident)) return
  if (await findFlapping(db, incident.organization, target, at)) return
  await inTransaction(db, (transaction) => notify(transaction, incident, at))
}

/** Those of these incidents below which something is down; records what was not known of that. */
async function recordDown(
  db: Db,
  organization: number,
  state: SuppressionState,
  incidents: readonly SuppressedIncident[],
): Promise<Set<SuppressedIncident>> {
  const candidates = incidents.map((incident) => {
    return { incident, parentIds: findDownParents(state, targetOf(incident)).map(({ incident_id: id }) => id) }
  })
  const isKnown = ({ incident: { has_down_parent: hasDown, parent_id: known }, parentIds: [first] }: Candidate) =>
    hasDown && first !== undefined && (first === null || first === known)
  const below = new Set(candidates.filter(isKnown).map(({ incident }) => incident))
  const fresh = candidates.filter((one) => one.parentIds.length > 0 && !isKnown(one))
  if (fresh.length === 0) return below
  return inTransaction(db, async (transaction) => {
    await lockFamilies(transaction, organization)
    const ids = [...new Set(fresh.flatMap(({ parentIds }) => parentIds.flatMap((id) => id ?? [])))]
    const chosen = chooseParents(fresh, await readParents(transaction, organization, ids))
    await recordParents(transaction, organization, chosen)
    return new Set([...below, ...chosen.map(({ incident }) => incident)])
  })
}

/** Whether a check that shows whether a parent is down as well is still to come. */
function waitsForParents({ state, waits, at }: Review, incident: SuppressedIncident): boolean {
  const target = targetOf(incident)
  if (!mayWait(state, target) || incident.parents_up_at !== null) return false
  const passedMs = at.getTime() - target.openedAt.getTime()
  if (passedMs >= MAX_WAIT_MS) return false
  return (state.subjects.get(target.id)?.depends_on ?? []).some((one) => {
    const wait = waits.get(keyOf(one))
    return wait !== undefined && passedMs < (wait.is_undecided ? wait.longest_ms : wait.wait_ms)
  })
}

/** Whether the target was not checked since its parents are up again, or has begun to recover. */
function waitsForCheck({ state, lastChecks, offlineMs, at }: Review, incident: SuppressedIncident): boolean {
  const { parents_up_at: upAt, target_id: id, metric } = incident
  const subject = state.subjects.get(id)
  if (upAt === null || !subject) return false
  const passedMs = at.getTime() - upAt.getTime()
  if (passedMs < hostRecoveryMs(metric, subject)) return true
  if (subject.interval_ms === null) return passedMs < offlineMs
  if (passedMs >= 2 * subject.interval_ms + CHECK_GRACE_MS) return false
  const checks = lastChecks.get(subject.number)
  if (metric !== 'status') return (checks?.checked_ms ?? 0) <= upAt.getTime()
  return (checks?.failing_checked_ms ?? 0) <= upAt.getTime() || checks?.is_failing !== true
}

async function notify(db: Db, incident: SuppressedIncident, at: Date): Promise<void> {
  const { organization, incident_id: incidentId, incident_at: incidentAt, target_type: type, metric } = incident
  // That of a monitor's status ends with its changes.
  const isFlapping = incident.flapping && type === 'monitor' && metric === 'status'
  if (!(await markUnsuppressed(db, incident, isFlapping))) return
  await insertIncidentEvent(db, organization, incidentId, { type: 'unsilenced', message: 'notifications resumed' }, at)
  await notifyOfStep(db, organization, { type: 'incident.opened', incidentId, incidentAt, at })
}
