import { ALERT_SAMPLE_BYTES, type AlertSourceType, MAX_SOURCE_OPEN, type TakenAlerts } from '@vedette/shared'
import { hashSecret } from '../../access/auth/index.ts'
import { cutText, readable } from '../../monitoring/checks/index.ts'
import { renderValues } from '../../notifying/notifications/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { maskSecrets } from '../../platform/logging/mask-secrets.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { overflowOf } from './alert.ts'
import { applyPlan } from './apply.ts'
import type { ReceivedAlert, ReceivedRequest } from './formats/format.ts'
import { readGeneric, type RenderedFields } from './formats/generic.ts'
import { FORMATS } from './formats/index.ts'
import { byFingerprint, isEmpty, type OpenAlert, type OpenAlerts, planAlerts } from './plan.ts'
import type { Receipts } from './receipts.ts'
import type { SnsReader } from './sns/reader.ts'
import * as store from './store.ts'

export interface IntakeDeps {
  db: Db
  clock: Clock
  receipts: Receipts
  sns: SnsReader
}

/** A request as it arrived. */
export interface IntakeRequest {
  token: string
  bytes: Buffer
  body: unknown
  headers: ReceivedRequest['headers']
  /** Of an address that takes one type alone. */
  type?: AlertSourceType
  /** Reads what the address takes; without it the format of the type reads the body. Throws validation_error. */
  read?: () => ReceivedAlert[]
}

/** Takes the alerts of a request: its sender is answered after the commit. */
export interface Intake {
  /** Undefined for a token that is unknown, or of a source that is disabled or deleted. Throws validation_error. */
  take(request: IntakeRequest): Promise<TakenAlerts | undefined>
  /** The source of a token, as `take` finds it. Throws validation_error for one of another type. */
  find(token: string, type?: AlertSourceType): Promise<store.ReceivingSource | undefined>
}

const MAX_FAULTS = 20
const MAX_FIELD_LENGTH = 10_000

export function createIntake(deps: IntakeDeps): Intake {
  const beyond = createBeyond()
  async function find(token: string, type?: AlertSourceType): Promise<store.ReceivingSource | undefined> {
    const source = await store.findReceiving(deps.db, hashSecret(token))
    if (source && type !== undefined && source.type !== type)
      throw invalid({ path: '', message: `the address is for sources of the type ${type}: this one is ${source.type}` })
    return source
  }
  return {
    find,
    async take(request) {
      const source = await find(request.token, request.type)
      if (!source) return undefined
      const message = source.type === 'sns' ? await deps.sns.verify(source.id, request.body) : undefined
      const { alerts, faults } = await readAlerts(source, request, deps.clock.now())
      const isDue = deps.receipts.add(source)
      const outcomeOf = ({ opened, resolved }: Done) => ({ opened, resolved, faults: faults.slice(0, MAX_FAULTS) })
      const record = (db: Db, done: Done) => recordRequest({ ...deps, db }, source, request, outcomeOf(done))
      const done = await takeAlerts(deps, source, alerts, { beyond, record })
      if (!done.isChanged && (isDue || faults.length > 0)) await inTransaction(deps.db, (db) => record(db, done))
      if (message?.type === 'SubscriptionConfirmation')
        await store.setConfirm(deps.db, source.organization, source.id, { topic: message.topic, url: message.subscribeUrl ?? '' })
      if (message) deps.sns.remember(source.id, message)
      return { taken: alerts.length, ...outcomeOf(done) }
    },
  }
}

/** What the last requests were, for a person who sets a sender up; and how many there were. Run it in a transaction. */
async function recordRequest(
  { db, clock, receipts }: IntakeDeps,
  { organization, id }: store.ReceivingSource,
  { bytes, token }: IntakeRequest,
  outcome: store.SampleRow['outcome'],
): Promise<void> {
  // The last word of a body that was cut may be half of a secret.
  const beginning = readable(bytes.subarray(0, ALERT_SAMPLE_BYTES).toString())
  const whole = bytes.length <= ALERT_SAMPLE_BYTES ? beginning : beginning.replace(/\S{1,4096}$/, '')
  const body = cutText(maskSecrets(whole, [token]), ALERT_SAMPLE_BYTES)
  await receipts.flush(db, id)
  await store.insertSample(db, organization, id, { at: new Date(clock.now()), id: newId(), body, outcome })
}

async function readAlerts(source: store.ReceivingSource, { body, headers, read }: IntakeRequest, nowMs: number) {
  if (read) return { alerts: read(), faults: [] }
  if (source.type === 'email') throw invalid({ path: '', message: 'alerts of a source of the type email come by mail' })
  if (source.type === 'generic' && source.template) return readGeneric(body, await renderFields(source.template, body))
  return FORMATS[source.type].read({ body, headers, nowMs })
}

/** What the templates of a source make of a body. Throws validation_error that names the template. */
export async function renderFields(
  template: NonNullable<store.SourceRow['template']>,
  body: unknown,
  isTrial = false,
): Promise<RenderedFields> {
  const rendered = await Promise.all(
    Object.entries(template).map(async ([field, text]) => ({
      field,
      ...(await renderValues(text, () => ({ body }), MAX_FIELD_LENGTH, isTrial)),
    })),
  )
  const faults = rendered.flatMap(({ field, fault }) =>
    fault === undefined ? [] : [{ path: `template.${field}`, message: `is no Liquid template that works: ${fault}` }],
  )
  if (faults.length > 0) throw invalid(...faults)
  return Object.fromEntries(rendered.map(({ field, text }) => [field, text]))
}

interface Done {
  opened: number
  resolved: number
  isChanged: boolean
}

const NOTHING: Done = { opened: 0, resolved: 0, isChanged: false }

/** One transaction, where something changes; else one statement that reads what is open. */
export async function takeAlerts(
  { db, clock }: Pick<IntakeDeps, 'db' | 'clock'>,
  found: store.ReceivingSource,
  received: readonly ReceivedAlert[],
  { beyond, record }: { beyond: Beyond; record: (db: Db, done: Done) => Promise<void> },
): Promise<Done> {
  const { organization, id } = found
  const alerts = byFingerprint(id, received)
  const series = [...alerts.keys(), overflowOf(id)]
  const known = await store.readOpen(db, organization, id, series)
  const first = planAlerts(found, alerts, await toOpen(db, found, known, received), clock.now())
  const counted = beyond.count(found, first.beyond)
  const isSaid = known.rows.some((row) => row.series === overflowOf(id))
  if (isEmpty(first) && (first.beyond.length === 0 || (isSaid && !counted.hasGrown))) return NOTHING
  return inTransaction(db, async (transaction) => {
    const source = await store.lockReceiving(transaction, organization, id)
    if (!source) return NOTHING
    const at = new Date(clock.now())
    const rows = await store.listOpen(transaction, organization, id, { series, isLocked: true })
    // Their number counts where one may open, or has to end.
    const isBounded = rows.length < alerts.size || rows.some((row) => row.series === overflowOf(id))
    const open = { rows, total: isBounded ? await store.countOpen(transaction, organization, id) : rows.length }
    const plan = planAlerts(source, alerts, await toOpen(transaction, source, open, received), at.getTime())
    await applyPlan(transaction, source, plan, rows, { at, beyond: Math.max(counted.count, plan.beyond.length) })
    if (plan.endsOverflow) beyond.evict(source)
    const done = { opened: plan.open.length, resolved: plan.resolve.length, isChanged: true }
    await record(transaction, done)
    return done
  })
}

/** Which are acknowledged is read only where somebody acknowledges. */
async function toOpen(
  db: Db,
  { organization }: store.ReceivingSource,
  { rows, total }: { rows: readonly store.OpenRow[]; total: number },
  alerts: readonly ReceivedAlert[],
): Promise<OpenAlerts> {
  const acknowledged = alerts.some(({ status }) => status === 'acknowledged')
    ? await store.listAcknowledged(
        db,
        organization,
        rows.map(({ incident_id: id }) => id),
      )
    : new Set<string>()
  const known = new Map(
    rows.map(({ series, ends_at: endsAt, is_muted: isMuted, incident_id: id }): [string, OpenAlert] => [
      series,
      { endsAtMs: endsAt?.getTime() ?? null, isMuted, isAcknowledged: acknowledged.has(id) },
    ]),
  )
  return { known, total }
}

/** Counts in this process which alerts of each source opened nothing, so that one that is sent again is not counted again. */
export interface Beyond {
  count(source: { id: string }, fingerprints: readonly string[]): { count: number; hasGrown: boolean }
  evict(source: { id: string }): void
}

/** Of one source; more are not counted. */
const MAX_COUNTED = 5 * MAX_SOURCE_OPEN.maximum

export function createBeyond(): Beyond {
  const seen = new Map<string, Set<string>>()
  return {
    count({ id }, fingerprints) {
      const own = seen.get(id) ?? new Set<string>()
      const before = own.size
      for (const one of fingerprints) if (own.size < MAX_COUNTED) own.add(one)
      if (own.size > 0) seen.set(id, own)
      return { count: own.size, hasGrown: own.size > before }
    },
    evict: ({ id }) => void seen.delete(id),
  }
}
