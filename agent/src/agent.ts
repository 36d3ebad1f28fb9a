import { type Clock, random, randomUUID } from './clock.ts'
import { ownFacts, readBootId } from './facts.ts'
import { createFactsReport } from './facts-report.ts'
import { type Log, messageOf } from './log.ts'
import { Loop } from './loop.ts'
import { Pusher } from './pusher.ts'
import { BatchQueue } from './queue.ts'
import type { Sampler } from './samplers/sampler.ts'
import { chooseCredentials, type Settings } from './settings.ts'
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
  settings: Settings
  /** Reads config and identity anew: after a refusal a new token may be in either. */
  readSettings: () => Promise<Settings>
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
export function startAgent({ clock, log, sampler, settings, readSettings }: AgentDeps): RunningAgent {
  const { config, stateDir } = settings
  const credentials = chooseCredentials(settings)
  const transport = createTransport()
  const queue = new BatchQueue()
  const startedAt = new Date(clock.now()).toISOString()
  let server = { url: credentials.url, id: serverIdOf(settings) }

  const factsReport = createFactsReport({ clock, log, stateDir, send: (body) => sendFacts(transport, pusher.credentials, body) })
  const pusher = new Pusher({
    clock,
    log,
    queue,
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
      void factsReport.tellIfDue(() => ownFacts(clock.now(), config.tags))
    },
    onChange: () => keepStatus(),
  })
  const loop = new Loop({
    clock,
    log,
    sampler,
    pusher,
    newId: randomUUID,
    agentVersion: AGENT_VERSION,
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
        dropped_samples: record.droppedSamples,
        queued_batches: queue.length,
        queued_samples: queue.samples,
        queued_bytes: queue.bytes,
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
  return {
    stop: async () => {
      await loop.stop()
      await pusher.stop(LAST_PUSH_MS)
      keepStatus('stopped')
      sampler.close()
      transport.close()
      log('info', 'agent stopped')
    },
  }
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** A token from the config may be another server's than the registered one: then nobody here knows which. */
function serverIdOf(settings: Settings): string | null {
  const { identity } = chooseCredentials(settings)
  return identity && (settings.config.token === undefined || settings.config.token === identity.token) ? identity.serverId : null
}
