import { randomUUID } from 'node:crypto'
import type { CertificateFacts } from '@vedette/shared'
import type { Credentials, TestBackend } from './harness.ts'
import { parseId } from '../src/platform/ids.ts'

/** The details of a check. */
export interface Brought {
  response_ms?: number
  /** What was answered to one that fails. */
  answer?: { status_line: string; body: string | null; whole?: string }
  /** When the target's certificate ends. */
  expires_at?: string
  /** The whole certificate of the target. */
  certificate?: CertificateFacts
  /** What its kind reports. */
  facts?: Record<string, number | string>
}

/** A monitor whose probe is the test. */
export interface WatchedMonitor {
  id: string
  uuid: string
  /** Brings the next check, at the instant at which it is due. */
  bring(outcome: 'up' | 'down', brought?: Brought): Promise<void>
  /** Until the status is this one; a second good check is needed to be up again. */
  goes(outcome: 'up' | 'down', brought?: Brought): Promise<void>
}

/** Makes a monitor of a region of its own. */
export async function watch(backend: TestBackend, as: Credentials, own: object = {}): Promise<WatchedMonitor> {
  const region = `region-${randomUUID()}`
  const probe = await backend.probe(region)
  const definition = { name: 'Shop', url: 'https://shop.example.com/', regions: [region], confirmations: 1, ...own }
  const { id } = (await backend.call('POST', '/v1/monitors', { as, body: definition })).body
  const { db } = backend.pool
  const { number } = await db.selectFrom('region').select('number').where('id', '=', region).executeTakeFirstOrThrow()

  async function bring(outcome: 'up' | 'down', brought: Brought = {}): Promise<void> {
    const claim = async () => {
      const schedule = await db
        .selectFrom('check_schedule')
        .select('due_at')
        .where('region', '=', number)
        .executeTakeFirstOrThrow()
      backend.clock.advance(Math.max(0, (schedule.due_at ?? 0) - backend.clock.now()))
      return (await backend.call('POST', '/v1/probe/claims', { as: probe, body: { worker_id: randomUUID() } })).body.checks[0]
    }
    // One that was missed is moved to its next slot first.
    const check = (await claim()) ?? (await claim())
    const result = { claim: check.claim, ...resultOf(outcome, new Date(backend.clock.now()).toISOString(), brought) }
    const { body } = await backend.call('POST', '/v1/probe/results', { as: probe, body: { results: [result] } })
    if (body.accepted !== 1) throw new Error(JSON.stringify(body))
  }

  return {
    id,
    uuid: parseId('monitor', id) as string,
    bring,
    goes: async (outcome, brought) => {
      for (let tries = 0; tries < 4; tries += 1) {
        await bring(outcome, brought)
        if ((await backend.call('GET', `/v1/monitors/${id}`, { as })).body.status === outcome) return
      }
      throw new Error(`it does not go ${outcome}`)
    },
  }
}

function resultOf(
  outcome: 'up' | 'down',
  at: string,
  { response_ms, expires_at, certificate: whole, answer, facts = {} }: Brought,
) {
  const phases = { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: null, transfer_ms: null }
  const error = outcome === 'up' ? null : { code: 'connect', message: 'the target refused the connection' }
  const leaf = expires_at === undefined ? null : { expires_at, issuer: 'ca', subject_names: ['shop.example.com'] }
  const certificate = whole ?? leaf
  const seen = {
    status_code: null,
    response_ms: response_ms ?? null,
    ...phases,
    error,
    address: null,
    http_version: null,
    certificate,
    facts,
  }
  return { checked_at: at, ended_at: at, outcome, ...seen, delayed: false, answer }
}

/** Incidents of a target, the oldest first, with their timelines. */
export async function incidentsOf({ pool: { db } }: TestBackend, targetId: string) {
  const rows = await db.selectFrom('incident').selectAll().where('target_id', '=', targetId).orderBy('at').orderBy('id').execute()
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      timeline: await db
        .selectFrom('incident_event')
        .select(['type', 'message', 'at'])
        .where('incident_id', '=', row.id)
        .orderBy('at')
        .orderBy('id')
        .execute(),
    })),
  )
}
