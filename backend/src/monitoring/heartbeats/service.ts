import { type HeartbeatSchedule, PING_TOKEN, type PingKey, type PingList, slugOf, toTimestamp } from '@vedette/shared'
import { type Actor, recordAudit } from '../../access/audit/index.ts'
import { createSecretToken, hashSecret, type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, isUniqueViolation, type PageRequest } from '../../platform/db/index.ts'
import { conflict, invalid } from '../../platform/errors.ts'
import { deadlineOf, expectedBy, NEW_STATE, PING_KINDS } from './state.ts'
import * as store from './store.ts'
import { toLocking } from './transaction.ts'

/** A new token for the address of a heartbeat. */
export const newPingToken = (): string => createSecretToken('pingToken').secret

/** A monitor that waits for pings, with the path of its definition in the request. */
interface HeartbeatDraft {
  path: string
  /** Undefined: it is new. */
  monitor: number | undefined
  token: string
  slug: string
}

/** Throws validation_error where another monitor has the slug or the token of one of these. */
export async function refuseTakenAddresses(db: Db, organization: number, drafts: readonly HeartbeatDraft[]): Promise<void> {
  if (drafts.length === 0) return
  const own = drafts.flatMap(({ monitor }) => monitor ?? [])
  const hashes = drafts.map(({ token }) => hashSecret(token))
  const slugs = drafts.map(({ slug }) => slug)
  const takenSlugs = new Set(await store.findTakenSlugs(db, organization, slugs, own))
  const takenTokens = new Set(await store.findTakenTokens(db, organization, hashes, own))
  const [seenSlugs, seenTokens] = [new Set<string>(), new Set<string>()]
  const faults = drafts.flatMap(({ path, slug, token }, index) => {
    const hash = (hashes[index] as Buffer).toString('hex')
    const found = [
      ...(takenSlugs.has(slug) || seenSlugs.has(slug)
        ? [{ path: `${path}url`, message: `another heartbeat has the name ${slug}` }]
        : []),
      ...(takenTokens.has(hash) || seenTokens.has(token)
        ? [{ path: `${path}credentials.token`, message: 'is the token of another heartbeat' }]
        : []),
    ]
    seenSlugs.add(slug)
    seenTokens.add(token)
    return found
  })
  if (faults.length > 0) throw invalid(...faults)
}

/** A slug from a name that no live heartbeat of the organization has. */
export async function freeSlug(db: Db, organization: number, name: string): Promise<string> {
  const slug = slugOf(name)
  const candidates = [slug, ...Array.from({ length: 98 }, (_, index) => `${slug}-${index + 2}`)]
  const taken = new Set(await store.findTakenSlugs(db, organization, candidates, []))
  return candidates.find((candidate) => !taken.has(candidate)) ?? slug
}

/** Stores tokens and slugs of monitors that the transaction made or changed. Old tokens are refused from the commit on. */
export async function saveHeartbeats(
  db: Db,
  organization: number,
  heartbeats: readonly { monitor: number; token: string; slug: string }[],
): Promise<void> {
  if (heartbeats.length === 0) return
  const addresses = heartbeats.map(({ monitor, token, slug }) => ({ monitor, slug, tokenHash: hashSecret(token) }))
  try {
    await store.saveAddresses(db, organization, addresses)
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict('Another heartbeat got the same name or token meanwhile.')
    throw error
  }
}

/** Gives restored heartbeats the names that their URLs have. Throws conflict where another one has such a name now. */
export async function restoreSlugs(
  db: Db,
  organization: number,
  rows: readonly { number: number; url: string }[],
): Promise<void> {
  if (rows.length === 0) return
  const slugs = rows.map(({ url }) => URL.parse(url)?.hostname ?? '')
  const [taken] = await store.findTakenSlugs(
    db,
    organization,
    slugs,
    rows.map(({ number }) => number),
  )
  if (taken !== undefined) throw conflict(`Another heartbeat has the name ${taken} now.`)
  await store.setSlugs(
    db,
    organization,
    rows.map(({ number }, index) => ({ monitor: number, slug: slugs[index] as string })),
  )
}

/**
 * Expects the next ping from this instant on, as if one had come: after a resume, and after a change of the schedule. One without a
 * first ping awaits nothing. Runs under way are forgotten.
 */
export async function awaitPings(
  db: Db,
  organization: number,
  heartbeats: readonly { monitor: number; schedule: HeartbeatSchedule }[],
  at: Date,
): Promise<void> {
  if (heartbeats.length === 0) return
  const monitors = heartbeats.map(({ monitor }) => monitor)
  const rows = new Map((await store.lockHeartbeats(db, organization, monitors)).map((row) => [row.monitor, row]))
  const changes = heartbeats.flatMap(({ monitor, schedule }): store.StateChange[] => {
    const lastPingAtMs = rows.get(monitor)?.last_ping_at ?? null
    const expectedByMs = lastPingAtMs === null ? null : expectedBy(schedule, at.getTime())
    const state = { ...NEW_STATE, lastPingAtMs, expectedByMs }
    return [{ heartbeat: { organization, monitor }, state, deadlineMs: deadlineOf(state, schedule) }]
  })
  await store.updateStates(await toLocking(db), changes)
}

/** One page of a monitor's pings, newest first. */
export async function listMonitorPings(db: Db, tenant: Tenant, monitor: number, page: PageRequest): Promise<PingList> {
  const { total, rows } = await store.listPings(db, tenant.number, monitor, page)
  const pings = rows.map((row) => ({
    received_at: toTimestamp(row.at),
    kind: PING_KINDS[row.kind] as (typeof PING_KINDS)[number],
    exit_code: row.exit_code,
    rid: row.rid,
    duration_ms: row.duration_ms,
    method: row.method,
    address: row.address,
    user_agent: row.user_agent,
    body: row.body,
  }))
  return { pings, total, ...page }
}

export interface PingKeyDeps {
  db: Db
  clock: Clock
  encrypter: Encrypter
  publicUrl(): string
}

/** The organization's ping key; null before one is made. */
export async function readPingKey({ db, encrypter, publicUrl }: PingKeyDeps, { number, id }: Tenant): Promise<PingKey> {
  const row = await store.findPingKey(db, number)
  const key = row && encrypter.decrypt(row.encrypted, id)?.toString()
  if (!row || key === undefined) return { ping_key: null, ping_url: null, created_at: null }
  return { ping_key: key, ping_url: `${publicUrl()}/ping/${key}`, created_at: toTimestamp(row.created_at.getTime()) }
}

/** Makes or replaces the organization's ping key; without one given it is random. Throws validation_error. */
export async function replacePingKey(deps: PingKeyDeps, actor: Actor<Principal>, given: string | undefined): Promise<PingKey> {
  const tenant = tenantOf(actor.principal)
  const key = given ?? createSecretToken('pingKey').secret
  if (!PING_TOKEN.pattern.test(key))
    throw invalid({
      path: 'ping_key',
      message: `must have ${PING_TOKEN.minimum} to ${PING_TOKEN.maximum} of A-Z, a-z, 0-9, - and _`,
    })
  const at = new Date(deps.clock.now())
  const secret = { hash: hashSecret(key), encrypted: deps.encrypter.encrypt(Buffer.from(key), tenant.id) }
  try {
    await inTransaction(deps.db, async (db) => {
      await store.savePingKey(db, tenant.number, secret, at)
      await recordAudit(db, tenant.number, actor, { action: 'ping_key.replaced' }, at)
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw invalid({ path: 'ping_key', message: 'is in use' })
    throw error
  }
  return readPingKey(deps, tenant)
}
