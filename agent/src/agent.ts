import { ValueBounds } from './spool/bounds.ts'
import { join } from 'node:path'
import { BINARY_PUSH_TYPE } from '@vedette/shared/metrics/binary-push'
import { DAY_MS } from '@vedette/shared/durations'
import { type Clock, random as chance, randomUUID } from './process/clock.ts'
import { createCertificateWatch } from './certificates/certificate-watch.ts'
import { ConfigError } from './config/config.ts'
import { ownFacts, readBootId } from './facts/facts.ts'
import { EntityCollector } from './entities/collector.ts'
import { SourceSwitches } from './entities/switches.ts'
import type { EntitySource } from './entities/source.ts'
import { createFactsReport, type FactsReport } from './facts/facts-report.ts'
import { type Log, messageOf } from './process/log.ts'
import { Loop } from './loop.ts'
import { createMemoryTrimmer } from './process/memory-trimmer.ts'
import { Pusher } from './push/pusher.ts'
import type { HostDetailsReader } from './samplers/host-details.ts'
import type { Sampler } from './samplers/sampler.ts'
import { chooseCredentials, type Settings, transportOptions } from './config/settings.ts'
import { SpoolFolder } from './spool/folder.ts'
import type { PushForm } from './spool/batch.ts'
import { DEFAULT_LIMITS, type SpoolLimits } from './spool/segment-store.ts'
import { Spool } from './spool/spool.ts'
import { type AgentStatus, writeStatus } from './process/status.ts'
import { createTransport, type HttpAnswer, type Transport } from './push/transport.ts'
import { AGENT_VERSION } from './version.ts'

/** Bound of the last push, so that the process ends within 3 s of the signal. */
const LAST_PUSH_MS = 2_000

export interface RunningAgent {
  /** Stops sampling, tries once to send what is queued, and settles within about 2 s. */
  stop(): Promise<void>
  /** Whether a source of entities has not answered: `process.exit` may wait for it for ever. */
  hasPendingRead(): boolean
}

export interface AgentDeps {
  clock: Clock
  log: Log
  sampler: Sampler
  hostDetails?: HostDetailsReader | undefined
  entitySources?: readonly EntitySource[]
  settings: Settings
  /** Reads config and identity again: after a refusal either may hold a new token. */
  readSettings: () => Promise<Settings>
  /** From [0, 1): spreads the attempts of agents that failed together. */
  random?: () => number
  /** Overrides the default limits of the spool; the config overrides both. */
  limits?: Partial<SpoolLimits>
  /** Overrides the transport of the settings. */
  transport?: Transport
}

export function sendPush(
  transport: Transport,
  { url, token }: { url: string; token: string },
  body: Buffer,
  form: PushForm = 'json',
  timeoutMs?: number,
) {
  return transport.send({
    method: 'POST',
    url: `${url}/v1/agent/metrics`,
    headers: {
      'x-api-key': token,
      'user-agent': `vedette-agent/${AGENT_VERSION}`,
      ...(form === 'binary' && { 'content-type': BINARY_PUSH_TYPE }),
    },
    body,
    ...(timeoutMs !== undefined && { timeoutMs }),
  }) satisfies Promise<HttpAnswer>
}

function sendFacts(transport: Transport, { url, token }: { url: string; token: string }, body: Buffer) {
  return transport.send({ method: 'PUT', url: `${url}/v1/agent/facts`, headers: { 'x-api-key': token }, body })
}

/** Creates the parts of the agent and starts them. Throws if config and identity do not name a backend and a token. */
export function startAgent(deps: AgentDeps): RunningAgent {
  const { clock, log, sampler, settings, readSettings, random = chance, limits } = deps
  const { config, stateDir } = settings
  const credentials = chooseCredentials(settings)
  const transport = deps.transport ?? createTransport(transportOptions(settings))
  const spool = openSpool(settings, clock, log, limits)
  const bounds = new ValueBounds(log)
  const switches = new SourceSwitches(stateDir, log)
  const trimMemory = createMemoryTrimmer(clock)
  const startedAt = new Date(clock.now()).toISOString()
  let server = { url: credentials.url, id: serverIdOf(settings) }

  const factsReport = createFactsReport({ clock, log, stateDir, send: (body) => sendFacts(transport, pusher.credentials, body) })
  const reportFacts = createReporting({ clock, log, config, bounds, spool, factsReport })
  const pusher = new Pusher({
    clock,
    log,
    queue: spool,
    random,
    bootId: readBootId(),
    credentials,
    readCredentials: async () => {
      const newSettings = await readSettings()
      const newCredentials = chooseCredentials(newSettings)
      server = { url: newCredentials.url, id: serverIdOf(newSettings) }
      return newCredentials
    },
    send: (to, body, form, timeoutMs) => sendPush(transport, to, body, form, timeoutMs),
    onAccepted: (answer, localMs) => {
      loop.applyAnswer(answer, localMs)
      switches.apply(answer.sources_off)
      void reportFacts()
    },
    onChange: () => {
      updateStatus()
      // An attempt has ended, and the next sample is not due for most of an interval.
      trimMemory()
    },
  })
  const { entitySources = [] } = deps
  const entities = new EntityCollector({ clock, log, sources: entitySources, switches }, () => loop.pushSoon())
  const loop: Loop = new Loop({
    clock,
    log,
    sampler,
    hostDetails: deps.hostDetails,
    entities,
    spool,
    pusher,
    fixed: { sampleSeconds: config.sampleIntervalSeconds, pushSeconds: config.pushIntervalSeconds },
  })

  const updateStatus = (state?: AgentStatus['state']) => {
    try {
      writeStatus(stateDir, statusOf({ ...deps, pusher, loop, spool, startedAt, server, state }))
    } catch (error) {
      // A full or read-only disk must not stop the agent that reports it.
      log('warn', 'cannot write the status file: "vedette-agent status" shows old values', { reason: messageOf(error) })
    }
  }

  log('info', 'agent started', { version: AGENT_VERSION, url: server.url, server: server.id ?? undefined })
  updateStatus('starting')
  loop.start()
  void spool.recover()
  return {
    hasPendingRead: () => entities.hasPendingRead(),
    stop: async () => {
      await loop.stop()
      await pusher.stop(LAST_PUSH_MS)
      spool.close()
      updateStatus('stopped')
      entities.close()
      sampler.close()
      transport.close()
      log('info', 'agent stopped')
    },
  }
}

interface ReportingParts extends Pick<AgentDeps, 'clock' | 'log'> {
  config: Settings['config']
  bounds: ValueBounds
  spool: Spool
  factsReport: FactsReport
}

/** Reports the facts of the host where that is due, with its losses and the certificates in its files. The function never rejects. */
function createReporting({ clock, log, config, bounds, spool, factsReport }: ReportingParts): () => Promise<void> {
  const certificates = config.certificateFiles && createCertificateWatch({ clock, log, config })
  // What was reported stays with the backend until other lists come.
  const none = !certificates && factsReport.sentCertificates() ? { certificates: [], unreadable_certificates: [] } : undefined
  const report = () => {
    const { droppedSamples: dropped, damagedRecords: damaged } = spool.totals
    const losses = { ...(dropped > 0 && { dropped_samples: dropped }), ...(damaged > 0 && { damaged_records: damaged }) }
    const facts = () => bounds.facts({ ...ownFacts(clock.now(), config), ...losses, ...none, ...certificates?.report })
    return factsReport.reportIfDue(facts, dropped + damaged + (certificates?.revision ?? 0))
  }
  return certificates ? () => certificates.refresh().then(report) : report
}

interface StatusParts extends Pick<AgentDeps, 'clock' | 'sampler'> {
  pusher: Pusher
  loop: Loop
  spool: Spool
  startedAt: string
  server: { url: string; id: string | null }
  /** In place of that of the pusher. */
  state: AgentStatus['state'] | undefined
}

function statusOf({ clock, sampler, pusher, loop, spool, startedAt, server, state }: StatusParts): AgentStatus {
  const { stats } = pusher
  const { sampleSeconds, pushSeconds } = loop.intervals
  return {
    agent_version: AGENT_VERSION,
    pid: process.pid,
    started_at: startedAt,
    updated_at: new Date(clock.now()).toISOString(),
    url: server.url,
    server_id: server.id,
    state: state ?? stats.state,
    last_try_at: instant(stats.lastTryAtMs),
    last_accepted_at: instant(stats.lastAcceptedAtMs),
    last_error: stats.lastError ?? null,
    accepted_samples: stats.acceptedSamples,
    duplicate_samples: stats.duplicateSamples,
    rejected_samples: stats.rejectedSamples,
    dropped_samples: spool.totals.droppedSamples,
    queued_batches: spool.length,
    queued_samples: spool.samples,
    queued_bytes: spool.bytes,
    spool: spool.diskFault === undefined ? 'disk' : 'memory',
    spool_fault: spool.diskFault ?? null,
    damaged_records: spool.totals.damagedRecords,
    sample_interval_seconds: sampleSeconds,
    push_interval_seconds: pushSeconds,
    clock_offset_ms: loop.skew.offsetMs === undefined ? null : Math.round(loop.skew.offsetMs),
    stale_mounts: sampler.staleMounts(),
  }
}

/** Throws a ConfigError if another agent uses the spool: both would send each other's samples. */
function openSpool({ stateDir, config }: Settings, clock: Clock, log: Log, overrides: Partial<SpoolLimits> = {}): Spool {
  const folder = new SpoolFolder(join(stateDir, 'spool'))
  const holder = folder.lock()
  if (holder !== undefined) throw new ConfigError([`another agent, process ${holder}, uses the same state folder, ${stateDir}`])
  const { spoolMaxMb, spoolMaxDays } = config
  const limits = {
    ...DEFAULT_LIMITS,
    ...overrides,
    ...(spoolMaxMb !== undefined && { bytes: spoolMaxMb * 1_048_576 }),
    ...(spoolMaxDays !== undefined && { coveredMs: spoolMaxDays * DAY_MS }),
  }
  return new Spool({ clock, log, folder, limits, newId: randomUUID, agentVersion: AGENT_VERSION })
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** Null if the token of the config is not the one from registration: its server is unknown then. */
function serverIdOf(settings: Settings): string | null {
  const { identity } = chooseCredentials(settings)
  return identity && (settings.config.token === undefined || settings.config.token === identity.token) ? identity.serverId : null
}
