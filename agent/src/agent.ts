import { join } from 'node:path'
import { type Clock, random as chance, randomUUID } from './clock.ts'
import { ConfigError } from './config.ts'
import { ownFacts, readBootId } from './facts.ts'
import { createFactsReport } from './facts-report.ts'
import { type Log, messageOf } from './log.ts'
import { Loop } from './loop.ts'
import { createMemoryKeeper } from './memory.ts'
import { Pusher } from './pusher.ts'
import type { HostWatch } from './samplers/host-watch.ts'
import type { Sampler } from './samplers/sampler.ts'
import { chooseCredentials, type Settings, transportOptions } from './settings.ts'
import { SpoolFolder } from './spool/folder.ts'
import { DEFAULT_LIMITS, type SpoolLimits } from './spool/segment-store.ts'
import { Spool } from './spool/spool.ts'
import { type AgentStatus, writeStatus } from './status.ts'
import { createTransport, type HttpAnswer, type Transport } from './transport.ts'
import { AGENT_VERSION } from './version.ts'

/** The last push may take this long, so that the process is gone within 3 s of the signal. */
const LAST_PUSH_MS = 2_000

export interface RunningAgent {
  /** Samples no more, sends what is there once, and settles within about 2 s. */
  stop(): Promise<void>
}

export interface AgentDeps {
  clock: Clock
  log: Log
  sampler: Sampler
  watch?: HostWatch | undefined
  settings: Settings
  /** Reads config and identity anew: after a refusal a new token may be in either. */
  readSettings: () => Promise<Settings>
  /** From [0, 1): spreads the tries of agents that failed together. */
  random?: () => number
  /** In place of the usual bounds of the spool; the config goes before them. */
  limits?: Partial<SpoolLimits>
  /** In place of the one that the settings say. */
  transport?: Transport
}

export function sendPush(transport: Transport, { url, token }: { url: string; token: string }, body: Buffer, timeoutMs?: number) {
  return transport.send({
    method: 'POST',
    url: `${url}/v1/agent/metrics`,
    headers: { 'x-api-key': token, 'user-agent': `vedette-agent/${AGENT_VERSION}` },
    body,
    ...(timeoutMs !== undefined && { timeoutMs }),
  }) satisfies Promise<HttpAnswer>
}

function sendFacts(transport: Transport, { url, token }: { url: string; token: string }, body: Buffer) {
  return transport.send({ method: 'PUT', url: `${url}/v1/agent/facts`, headers: { 'x-api-key': token }, body })
}

/** Puts the parts together and starts them. Throws when config and identity do not say where to push and as whom. */
export function startAgent(deps: AgentDeps): RunningAgent {
  const { clock, log, sampler, settings, readSettings, random = chance, limits } = deps
  const { config, stateDir } = settings
  const credentials = chooseCredentials(settings)
  const transport = deps.transport ?? createTransport(transportOptions(settings))
  const spool = openSpool(settings, clock, log, limits)
  const keepMemory = createMemoryKeeper(clock)
  const startedAt = new Date(clock.now()).toISOString()
  let server = { url: credentials.url, id: serverIdOf(settings) }

  const factsReport = createFactsReport({ clock, log, stateDir, send: (body) => sendFacts(transport, pusher.credentials, body) })
  const pusher = new Pusher({
    clock,
    log,
    queue: spool,
    random,
    bootId: readBootId(),
    credentials,
    readCredentials: async () => {
      const now = await readSettings()
      const found = chooseCredentials(now)
      server = { url: found.url, id: serverIdOf(now) }
      return found
    },
    send: (to, body, timeoutMs) => sendPush(transport, to, body, timeoutMs),
    onAccepted: (answer, localMs) => {
      loop.follow(answer, localMs)
      const { droppedSamples, damagedRecords } = spool.totals
      void factsReport.tellIfDue(
        () => ({
          ...ownFacts(clock.now(), config.tags),
          ...(droppedSamples > 0 && { dropped_samples: droppedSamples }),
          ...(damagedRecords > 0 && { damaged_records: damagedRecords }),
        }),
        droppedSamples + damagedRecords,
      )
    },
    onChange: () => {
      keepStatus()
      // A try is over, and the next sample is not due for most of an interval.
      keepMemory()
    },
  })
  const loop = new Loop({
    clock,
    log,
    sampler,
    watch: deps.watch,
    spool,
    pusher,
    fixed: { sampleSeconds: config.sampleIntervalSeconds, pushSeconds: config.pushIntervalSeconds },
  })

  const keepStatus = (state?: AgentStatus['state']) => {
    const { record } = pusher
    const { sampleSeconds, pushSeconds } = loop.intervals
    try {
      writeStatus(stateDir, {
        agent_version: AGENT_VERSION,
        pid: process.pid,
        started_at: startedAt,
        updated_at: new Date(clock.now()).toISOString(),
        url: server.url,
        server_id: server.id,
        state: state ?? record.state,
        last_try_at: instant(record.lastTryAtMs),
        last_accepted_at: instant(record.lastAcceptedAtMs),
        last_error: record.lastError ?? null,
        accepted_samples: record.acceptedSamples,
        duplicate_samples: record.duplicateSamples,
        rejected_samples: record.rejectedSamples,
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
      })
    } catch (error) {
      // A full or read-only disk must not stop the monitoring that would tell of it.
      log('warn', 'cannot write the status file', { reason: messageOf(error) })
    }
  }

  log('info', 'agent started', { version: AGENT_VERSION, url: server.url, server: server.id ?? undefined })
  keepStatus('starting')
  loop.start()
  void spool.recover()
  return {
    stop: async () => {
      await loop.stop()
      await pusher.stop(LAST_PUSH_MS)
      spool.close()
      keepStatus('stopped')
      sampler.close()
      transport.close()
      log('info', 'agent stopped')
    },
  }
}

/** Throws a ConfigError when another agent has the spool: two would send each other's samples. */
function openSpool({ stateDir, config }: Settings, clock: Clock, log: Log, usual: Partial<SpoolLimits> = {}): Spool {
  const folder = new SpoolFolder(join(stateDir, 'spool'))
  const holder = folder.lock()
  if (holder !== undefined) throw new ConfigError([`process ${holder} is an agent with the same state folder, ${stateDir}`])
  const { spoolMaxMegabytes, spoolMaxDays } = config
  const limits = {
    ...DEFAULT_LIMITS,
    ...usual,
    ...(spoolMaxMegabytes !== undefined && { bytes: spoolMaxMegabytes * 1_048_576 }),
    ...(spoolMaxDays !== undefined && { coveredMs: spoolMaxDays * 86_400_000 }),
  }
  return new Spool({ clock, log, folder, limits, newId: randomUUID, agentVersion: AGENT_VERSION })
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** A token from the config may be another server's than the registered one: then nobody here knows which. */
function serverIdOf(settings: Settings): string | null {
  const { identity } = chooseCredentials(settings)
  return identity && (settings.config.token === undefined || settings.config.token === identity.token) ? identity.serverId : null
}
