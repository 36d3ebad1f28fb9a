import type { Actor } from '../../src/access/audit/index.ts'
import { createSourceSwitches } from '../../src/hosts/servers/index.ts'
import { createAuthenticator, type Principal } from '../../src/access/auth/index.ts'
import { monitorEncrypter } from '../../src/monitoring/monitors/index.ts'
import { createEntityRecorder } from '../../src/hosts/entities/index.ts'
import { createPingStore, createWatch } from '../../src/monitoring/heartbeats/index.ts'
import { createJobs } from '../../src/jobs.ts'
import { createIngester, createProcessBuffer, createStateBuffer } from '../../src/hosts/metrics/index.ts'
import { createBoots } from '../../src/hosts/metrics/ingest/boots.ts'
import { createDimensions } from '../../src/hosts/metrics/ingest/dimensions.ts'
import { createSecrets } from '../../src/platform/crypto/installation-secrets.ts'
import { createLease } from '../../src/platform/db/lease.ts'
import { createShare } from '../../src/platform/db/share.ts'
import { createPool } from '../../src/platform/db/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { createCertificateRecorder } from '../../src/monitoring/certificates/index.ts'
import { createHangingLoads } from '../../src/monitoring/probes/service.ts'
import { absenceOf, startHeartbeat } from '../../src/hosts/servers/index.ts'
import type { Settings } from '../../src/operating/settings/index.ts'
import { NO_ANNOUNCEMENTS } from '../changes.ts'
import { TEST_SECRET } from '../harness.ts'
import type { createGateway } from './gateway.ts'
import type { LeasedTask } from './leased.ts'
import { type Process, runAs, type World } from './world.ts'

export type Instance = Awaited<ReturnType<typeof startInstance>>
export type Work = keyof Instance['work']

export interface InstanceOptions {
  leased: LeasedTask
  world: World
  gateway: ReturnType<typeof createGateway>
  settings: Settings
}

/** The leases of the simulation last for that long, ms. */
export const LEASE_MS = 4_000

/**
 * One process of the product without its HTTP server: what stands behind the routes of agents, probes and pings, and all jobs, over a
 * pool whose statements go through the gateway.
 */
export async function startInstance(owner: Process, { world, gateway, settings, leased }: InstanceOptions) {
  const run = <T>(work: () => T): T => runAs(owner, work)
  const clock = world.clockOf(owner)
  const log = silentLog
  const pool = run(() => createPool({ url: 'postgres://nowhere/', clock, log, max: 3, Client: gateway.Client }))
  const { db } = pool
  const secrets = createSecrets([TEST_SECRET])
  const { uptime } = await run(() => startHeartbeat(db, clock, log))
  const changes = NO_ANNOUNCEMENTS
  const databaseClock = { now: () => clock.now(), measure: () => Promise.resolve() }
  const share = createShare({ db, clock, changes }, 'evaluation', { holdMs: LEASE_MS, dueMs: () => 0, wokenBy: [] })
  const deps = { settings, pool, clock, databaseClock, log, secrets, changes }
  const jobs = run(() => createJobs({ ...deps, publicUrl: () => 'http://127.0.0.1' }, share.slices))
  const watch = createWatch(db, clock, () => absenceOf(uptime, clock.now()))
  const { retention, sampleIntervalSeconds, pushIntervalSeconds } = settings
  const tokens = { sign: refuse, verify: refuse } as never
  const authenticator = createAuthenticator(pool, clock, tokens)
  const lease = createLease({ db, clock, changes }, 'the task of the simulation', LEASE_MS)
  const probing = { pool, clock, now: () => clock.now() }
  return {
    owner,
    run,
    clock,
    db,
    jobs,
    pings: createPingStore({ pool, clock, log, planned: () => undefined }),
    authenticator,
    pushing: {
      db,
      clock,
      ingester: createIngester(pool, clock, log, pushIntervalSeconds),
      states: createStateBuffer(db, clock, pushIntervalSeconds),
      boots: createBoots({ db, clock }),
      switches: createSourceSwitches({ db, clock }),
      dimensions: createDimensions({ pool, clock, retentionMs: retention.rawMs }),
      processes: createProcessBuffer(db, clock),
      entities: createEntityRecorder(pool, clock),
      authenticator,
      sampleIntervalSeconds,
      pushIntervalSeconds,
      rawRetentionMs: retention.rawMs,
    },
    probing: {
      ...probing,
      encrypter: monitorEncrypter(secrets),
      loads: createHangingLoads(probing),
      certificates: createCertificateRecorder(),
      log,
    },
    /** The background work by name, each once; in this order what follows from one is done by a later one. */
    work: {
      'missed pings': () => watch.run(),
      'checks by rules': () => share.run(() => jobs.evaluateChecks()),
      signals: () => jobs.evaluateSignals(),
      'servers by rules': () => share.run(() => jobs.evaluateServers()),
      suppressions: () => jobs.reviewSuppressions(),
      reminders: () => jobs.notifyOverdue(),
      escalation: () => jobs.escalate(),
      deliveries: () => jobs.startDeliveries(),
      'leased task': () => lease.run(() => leased.run(owner.name, clock)),
      samples: () => jobs.compactSamples(),
      checks: () => jobs.compactChecks(),
    } satisfies Record<string, () => Promise<unknown>>,
  }
}

const refuse = (): never => {
  throw new Error('nobody has a session')
}

/** The owner of the scene's organization. */
export function ownerOf(tenant: { number: number; id: string }, userId: string): Actor<Principal> {
  const proof = { needsSecondFactor: false, onlyReads: false, identityProvider: undefined, passkey: undefined }
  const session = { sessionId: userId, ...proof }
  return { principal: { kind: 'user', userId, tenant, role: 'owner', ...session }, ip: '192.0.2.1' }
}
