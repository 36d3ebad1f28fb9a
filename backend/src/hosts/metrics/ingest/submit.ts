import type { PushAnswer } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import type { Authenticator, Principal, Tenant } from '../../../access/auth/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { ApiError, forbidden, invalid, unauthorized } from '../../../platform/errors.ts'
import { parseId } from '../../../platform/ids.ts'
import { findServerNumber, isCurrentToken, noteEmptyPush, type SourceSwitches } from '../../servers/index.ts'
import { parsePush, type Push, PushFault, type PushLimits, type PushPiece, type SlotsOf } from './batch/push.ts'
import type { Boots } from './boots.ts'
import type { Dimensions } from './dimensions.ts'
import type { EntityState } from './batch/entities.ts'
import type { Ingester, Submission } from './ingester.ts'
import type { ProcessBuffer } from './process-buffer.ts'
import type { StateBuffer } from './state-buffer.ts'
import { MAX_AHEAD_MS } from '../storage/schedule.ts'
import type { RowResult } from './push-row.ts'

export interface SubmitDeps {
  db: Db
  clock: Clock
  ingester: Ingester
  states: StateBuffer
  boots: Boots
  dimensions: Dimensions
  processes: ProcessBuffer
  entities: EntityRecorder
  authenticator: Authenticator
  switches: SourceSwitches
  sampleIntervalSeconds: number
  pushIntervalSeconds: number
  /** Older samples are refused. */
  rawRetentionMs: number
}

/** Stores what batches say of the entities of a server; settles after the commit, and stores nothing twice. */
export interface EntityRecorder {
  record(
    organization: number,
    serverId: string,
    batches: readonly (Pick<EntityState, 'entities' | 'events'> & { atMs: number })[],
  ): Promise<void>
}

/** For whom a push is stored, and by which secret. */
interface Target {
  tenant: Tenant
  serverId: string
  credential: Buffer
  isApiKey: boolean
}

/**
 * Stores the samples of a push; the answer comes after the commit. Whatever is sent again changes nothing. Throws
 * validation_error for a push that is wrong in form, unauthorized when its token died, forbidden for another server's samples,
 * conflict for a cloned machine, unavailable when the database is away or behind. The body is taken, not given: what waits for the
 * database must not hold it.
 */
export async function submitPush(deps: SubmitDeps, principal: Principal, takeBody: () => unknown): Promise<PushAnswer> {
  const now = deps.clock.now()
  const limits = { oldestMs: now - deps.rawRetentionMs, newestMs: now + MAX_AHEAD_MS }
  // What is known already is not waited for: each wait is a turn of the queue of promises, and of a push nearly all is known.
  const parsed = parseForLiving(deps, principal, takeBody, limits)
  const push = parsed instanceof Promise ? await parsed : parsed
  const found = targetOf(deps, principal, push.serverId)
  const target = found instanceof Promise ? await found : found
  const duplicates = await storePieces(deps, target, push)
  // After the statement that proved the credential, and before the answer: a push that fails between the two is sent again.
  await recordEntities(deps, target, push, limits)
  recordState(deps, target, push)
  const known = deps.switches.of(target.serverId)
  const off = known instanceof Promise ? await known : known
  return {
    accepted: push.accepted - duplicates,
    duplicates,
    rejected: push.rejected,
    server_time: toTimestamp(deps.clock.now()),
    sample_interval_seconds: deps.sampleIntervalSeconds,
    push_interval_seconds: deps.pushIntervalSeconds,
    ...(off && { sources_off: [...off] }),
  }
}

/** Refuses a revoked token before it reports faults of the body: a cached token is not verified yet. */
function parseForLiving(
  deps: SubmitDeps,
  principal: Principal,
  takeBody: () => unknown,
  limits: PushLimits,
): Push | Promise<Push> {
  try {
    const parsed = parseWithSlots(deps, principal, takeBody(), limits)
    return parsed instanceof Promise ? parsed.catch((error: unknown) => refuseDead(deps, principal, error)) : parsed
  } catch (error) {
    return refuseDead(deps, principal, error)
  }
}

/** Throws unauthorized for a token that died meanwhile, else the error. */
async function refuseDead({ db, authenticator }: SubmitDeps, principal: Principal, error: unknown): Promise<never> {
  // The agent sends the push again, and the token is verified then.
  const isOurs = error instanceof ApiError && error.status >= 500
  if (
    !isOurs &&
    principal.kind === 'server' &&
    !(await isCurrentToken(db, principal.tenant.number, principal.serverId, principal.hash))
  ) {
    await authenticator.evict(principal.hash)
    throw unauthorized()
  }
  throw error
}

/** A name that comes for the first time gets its slot first; then the body is read again. */
function parseWithSlots(
  { dimensions }: SubmitDeps,
  principal: Principal,
  body: unknown,
  limits: PushLimits,
): Push | Promise<Push> {
  const serverOf = (given: string | undefined) =>
    principal.kind === 'server' ? principal.serverId : given === undefined ? undefined : parseId('server', given)
  const slotsOf: SlotsOf = (given) => dimensions.slotsOf(serverOf(given))
  const push = parse(body, limits, slotsOf)
  const serverId = push.withoutSlot.length === 0 ? undefined : serverOf(push.serverId)
  if (serverId === undefined || !principal.tenant) return push
  const samples = push.accepted + push.rejected.length
  return dimensions
    .assignSlots(principal.tenant.number, serverId, push.withoutSlot, samples)
    .then(() => parse(body, limits, slotsOf))
}

function parse(body: unknown, limits: PushLimits, slotsOf: SlotsOf): Push {
  try {
    return parsePush(body, limits, slotsOf)
  } catch (error) {
    if (error instanceof PushFault) throw invalid(...error.details.slice(0, MAX_DETAILS))
    throw error
  }
}

/** Details of one refusal: more would only repeat themselves. */
const MAX_DETAILS = 20

function targetOf({ db }: SubmitDeps, principal: Principal, serverId: string | undefined): Target | Promise<Target> {
  const given = serverId === undefined ? undefined : parseId('server', serverId)
  if (principal.kind === 'server') {
    if (serverId !== undefined && given !== principal.serverId)
      throw forbidden("A server's token submits for its own server only.")
    return { tenant: principal.tenant, serverId: principal.serverId, credential: principal.hash, isApiKey: false }
  }
  if (principal.kind !== 'api_key') throw forbidden()
  if (serverId === undefined) throw invalid({ path: 'server_id', message: 'is required with an API key' })
  if (given === undefined) throw unknownServer()
  const { tenant, hash } = principal
  return findServerNumber(db, tenant.number, given).then((found) => {
    if (found === undefined) throw unknownServer()
    return { tenant, serverId: given, credential: hash, isApiKey: true }
  })
}

const unknownServer = () => invalid({ path: 'server_id', message: 'is not a server of this organization' })

/** Stores the rows of a push, each once; how many of its samples were stored already, or stand in it twice. */
async function storePieces(deps: SubmitDeps, target: Target, push: Push): Promise<number> {
  const [only, ...others] = push.batches
  const all = only && others.length === 0 ? only.pieces : push.batches.flatMap((batch) => batch.pieces)
  if (all.length === 0) {
    // Nothing reaches the statement that would prove the token.
    if (!target.isApiKey && !(await isCurrentToken(deps.db, target.tenant.number, target.serverId, target.credential)))
      await refuse(deps, target)
    await noteEmptyPush(deps.db, target.tenant.number, target.serverId, deps.clock.now())
    return 0
  }
  const pieces = all.length === 1 ? all : withoutRepeats(all)
  const submission = submissionOf(target, push.bootId, pieces)
  const results = await storeOrRefuse(deps, target, submission)
  const stored = pieces.reduce((sum, { count }, index) => sum + (results[index] === 'duplicate' ? 0 : count), 0)
  return push.accepted - stored
}

/** Of pieces that become the same row the last, in the place of the first. */
function withoutRepeats(pieces: readonly PushPiece[]): PushPiece[] {
  return [...new Map(pieces.map((piece) => [piece.digest, piece])).values()]
}

function submissionOf({ tenant, serverId, credential }: Target, bootId = '', pieces: readonly PushPiece[]): Submission {
  return { organization: tenant.number, serverId, credential, bootId, pieces }
}

const isSettled = (result: RowResult): boolean => result === 'stored' || result === 'duplicate'

/**
 * Stores all of a push, or throws why not. Who may push can change at any moment: what each statement found is what counts. A host
 * that has rebooted claims its boot id, and then it is sent once more; of two that claim in turn the second claim throws conflict.
 */
async function storeOrRefuse(deps: SubmitDeps, target: Target, submission: Submission): Promise<readonly RowResult[]> {
  for (;;) {
    const results = await deps.ingester.store(submission)
    if (results.every(isSettled)) return results
    if (results.includes('refused')) await refuse(deps, target)
    await deps.boots.claim(submission)
  }
}

/** The statement found the credential dead or the server gone. */
async function refuse({ db, authenticator }: SubmitDeps, { tenant, serverId, credential, isApiKey }: Target): Promise<never> {
  await authenticator.evict(credential)
  // With an API key it is the server that may be gone; with its own token that is the same as a dead token.
  if (isApiKey && (await findServerNumber(db, tenant.number, serverId)) === undefined) throw unknownServer()
  throw unauthorized()
}

/** What was read at an instant at which no sample is taken is left out. */
async function recordEntities(
  { entities }: SubmitDeps,
  { tenant, serverId }: Target,
  push: Push,
  limits: PushLimits,
): Promise<void> {
  const isTaken = (ms: number) => ms >= limits.oldestMs && ms <= limits.newestMs
  const batches = push.batches.flatMap(({ newestAtMs, entities: own }) => {
    const atMs = own?.atMs ?? newestAtMs
    if (!own || atMs === undefined || !isTaken(atMs)) return []
    return [{ atMs, entities: own.entities, events: own.events.filter(({ at }) => isTaken(Date.parse(at))) }]
  })
  if (batches.length > 0) await entities.record(tenant.number, serverId, batches)
}

/** Records the host state of the push. */
function recordState({ states, processes, clock }: SubmitDeps, { tenant, serverId }: Target, push: Push): void {
  const newest = push.batches.reduce((best, batch) => ((batch.newestAtMs ?? 0) >= (best.newestAtMs ?? 0) ? batch : best))
  states.record({
    organization: tenant.number,
    serverId,
    receivedAtMs: clock.now(),
    newestAtMs: push.newestAtMs,
    state: newest.state,
  })
  for (const { newestAtMs, state } of push.batches) {
    if (newestAtMs !== undefined && state.processes)
      processes.record({ organization: tenant.number, serverId, atMs: newestAtMs, processes: state.processes })
  }
}
