import { isDeepStrictEqual } from 'node:util'
import {
  type AlertSampleList,
  type AlertSource,
  type AlertSourceList,
  type AlertSourceTest,
  CreateAlertSourceBody,
  MAX_SOURCE_OPEN,
  type PatchAlertSourceBody,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { createSecretToken, pickFields, type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import { restoreDeleted } from '../../operating/deletions/index.ts'
import { lockReferences } from '../../operating/references/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { requireNoFaults } from '../../platform/http/index.ts'
import { encodeId, newId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { changeSourceRule, insertSourceRule, lockChannels, lockPolicy, markSourceRule } from '../alerts/index.ts'
import { applyPlan, resolveAll } from './apply.ts'
import { fingerprintOf } from './alert.ts'
import { ownSourceFaults, sourceFaults } from './faults.ts'
import { alertOf } from './formats/fields.ts'
import type { ReceivedAlert } from './formats/format.ts'
import { renderFields } from './intake.ts'
import { byFingerprint, planAlerts } from './plan.ts'
import type { Receipts } from './receipts.ts'
import { type FetchCertificate, isCertificateHost } from './sns/certificate.ts'
import * as store from './store.ts'
import { toAlertSource } from './wire.ts'

export interface SourceDeps {
  db: Db
  clock: Clock
  publicUrl: () => string
  receipts: Pick<Receipts, 'pendingOf'>
}

export interface ConfirmDeps extends SourceDeps {
  settings: { snsCertificateHosts: string }
  fetchSns: FetchCertificate
}

const toWire = ({ publicUrl, receipts }: SourceDeps, row: store.SourceRow, token?: string): AlertSource =>
  toAlertSource(row, { publicUrl, pending: receipts.pendingOf(row.id), token })

/** One page of the organization's sources, newest first. */
export async function listSources(deps: SourceDeps, tenant: Tenant, request: PageRequest): Promise<AlertSourceList> {
  const { total, rows } = await store.listSources(deps.db, tenant.number, request)
  return { alert_sources: rows.map((row) => toWire(deps, row)), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export const getSource = async (deps: SourceDeps, tenant: Tenant, id: string): Promise<AlertSource> =>
  toWire(deps, await requireSource(deps.db, tenant, id))

async function requireSource(db: Db, tenant: Tenant, id: string): Promise<store.SourceRow> {
  const row = await store.findSource(db, tenant.number, id)
  if (!row) throw notFound()
  return row
}

/** The same, locked until the transaction ends. */
async function requireLocked(db: Db, tenant: Tenant, id: string) {
  const row = await store.lockSource(db, tenant.number, id)
  if (!row) throw notFound()
  return row
}

/** Throws validation_error for templates that cannot be rendered. */
export async function tryTemplates({ template }: { template?: CreateAlertSourceBody['template'] }): Promise<undefined> {
  if (template) await renderFields(template, {}, true)
  return undefined
}

export const DEFAULTS = {
  enabled: true,
  severity_map: {},
  default_severity: 'warning',
  channel_ids: [],
  escalation_policy_id: null,
  tags: [],
  tag_labels: [],
  group_by: [],
  routes: [],
  resolve_after_seconds: null,
  max_open: MAX_SOURCE_OPEN.default,
  muted: false,
  template: null,
} satisfies Omit<CreateAlertSourceBody, 'name' | 'type'>

/** Creates a source; only this result has its token. Throws validation_error, conflict over the bound. */
export async function createSource(deps: SourceDeps, actor: Actor<Principal>, body: CreateAlertSourceBody): Promise<AlertSource> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownSourceFaults, body)
  return inTransaction(deps.db, async (db) => {
    const { routes: _, ...own } = body
    const columns: store.SourceColumns = { ...DEFAULTS, ...own, ...(await lockRecipients(db, tenant, body)) }
    const [id, at, { secret, hash }] = [newId(), new Date(deps.clock.now()), createSecretToken('alertSourceToken')]
    await refuseOverBound(db, tenant.number, 'alert_source')
    await store.insertSource(db, tenant.number, { id, token_hash: hash, ...ownOf(columns) }, at)
    await insertSourceRule(db, tenant.number, id, ruleOf(columns), at)
    const details = { name: columns.name, type: columns.type }
    await recordAudit(db, tenant.number, actor, auditEntry('alert_source.created', 'alertSource', id, details), at)
    return toWire(deps, await requireSource(db, tenant, id), secret)
  })
}

/** Changes what the body names. Throws not_found across organizations, validation_error. */
export async function patchSource(
  deps: SourceDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchAlertSourceBody,
): Promise<AlertSource> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    // An unknown source is reported before invalid fields; and what a source refers to is locked before it.
    await requireSource(db, tenant, id)
    const { routes: _, ...own } = body
    const given = { ...own, ...(await lockRecipients(db, tenant, body)) }
    if (!(await store.lockSource(db, tenant.number, id))) throw notFound()
    const row = await requireSource(db, tenant, id)
    const columns: store.SourceColumns = { ...row, ...given }
    const faults = sourceFaults(columns)
    if (faults.length > 0) throw invalid(...faults)
    const names = Object.keys(given) as (keyof typeof given)[]
    const changed = names.filter((name) => !isDeepStrictEqual(row[name], given[name])).toSorted()
    if (changed.length === 0) return toWire(deps, row)
    const at = new Date(deps.clock.now())
    await store.updateSource(db, tenant.number, id, ownOf(columns), at)
    await changeSourceRule(db, tenant.number, id, ruleOf(columns), at)
    if (row.enabled && !columns.enabled) await resolveOpen(db, tenant, id, 'the alert source was disabled', at)
    const details = { name: columns.name, changed }
    await recordAudit(db, tenant.number, actor, auditEntry('alert_source.updated', 'alertSource', id, details), at)
    return toWire(deps, await requireSource(db, tenant, id))
  })
}

/** Resolves its open incidents. Throws not_found across organizations. */
export async function deleteSource(deps: SourceDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await requireLocked(db, tenant, id)
    const at = new Date(deps.clock.now())
    await resolveOpen(db, tenant, id, 'the alert source was deleted', at)
    await markSourceRule(db, tenant.number, id, at)
    await store.deleteSource(db, tenant.number, id, at)
    await recordAudit(db, tenant.number, actor, auditEntry('alert_source.deleted', 'alertSource', id, { name: row.name }), at)
  })
}

const resolveOpen = async (db: Db, { number }: Tenant, id: string, reason: string, at: Date): Promise<void> =>
  resolveAll(db, number, await store.listOpen(db, number, id, { isLocked: true }), reason, at)

/** Brings a deleted source back with its token. Throws not_found across organizations, conflict over the bound. */
export async function restoreSource(deps: SourceDeps, actor: Actor<Principal>, id: string): Promise<AlertSource> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const rule = () => markSourceRule(db, tenant.number, id, null)
    await restoreDeleted({ ...deps, db }, actor, id, store.deletedSources, rule)
    return toWire(deps, await requireSource(db, tenant, id))
  })
}

/** Replaces the token: the old one is refused at once. Only this result has the new one. Throws not_found across organizations. */
export async function rotateToken(deps: SourceDeps, actor: Actor<Principal>, id: string): Promise<AlertSource> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await requireLocked(db, tenant, id)
    const [at, { secret, hash }] = [new Date(deps.clock.now()), createSecretToken('alertSourceToken')]
    await store.updateSource(db, tenant.number, id, { token_hash: hash }, at)
    await recordAudit(
      db,
      tenant.number,
      actor,
      auditEntry('alert_source.token_rotated', 'alertSource', id, { name: row.name }),
      at,
    )
    return toWire(deps, await requireSource(db, tenant, id), secret)
  })
}

/**
 * Calls the address with which SNS lets a person confirm a topic; without one that waits nothing changes. Throws not_found across
 * organizations, conflict where SNS does not confirm it.
 */
export async function confirmTopic(deps: ConfirmDeps, actor: Actor<Principal>, id: string): Promise<AlertSource> {
  const tenant = tenantOf(actor.principal)
  const row = await requireSource(deps.db, tenant, id)
  const { confirm, name } = row
  if (!confirm) return toWire(deps, row)
  // Stored with the hosts of that time.
  const { protocol, hostname } = new URL(confirm.url)
  if (protocol !== 'https:' || !isCertificateHost(hostname, deps.settings.snsCertificateHosts))
    throw conflict('The address is not of a host in VEDETTE_SNS_CERTIFICATE_HOSTS.')
  const status = await deps.fetchSns(confirm.url).then(
    (response) => response.status,
    () => undefined,
  )
  if (status !== 200)
    throw conflict(`${hostname} did not confirm the topic: ${status === undefined ? 'no answer' : `status ${status}`}.`)
  return inTransaction(deps.db, async (db) => {
    const at = new Date(deps.clock.now())
    await store.setConfirm(db, tenant.number, id, null)
    const details = { name, topic: confirm.topic }
    await recordAudit(db, tenant.number, actor, auditEntry('alert_source.confirmed', 'alertSource', id, details), at)
    return toWire(deps, await requireSource(db, tenant, id))
  })
}

/** The last requests, the newest first. Throws not_found across organizations. */
export async function readSamples({ db }: Pick<SourceDeps, 'db'>, tenant: Tenant, id: string): Promise<AlertSampleList> {
  await requireSource(db, tenant, id)
  const rows = await store.listSamples(db, tenant.number, id)
  return { samples: rows.map(({ at, body, outcome }) => ({ received_at: toTimestamp(at.getTime()), body, ...outcome })) }
}

/** Opens and resolves an incident, as an alert of the sender would. Throws not_found across organizations. */
export async function testSource(deps: SourceDeps, actor: Actor<Principal>, id: string): Promise<AlertSourceTest> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await requireLocked(db, tenant, id)
    const at = new Date(deps.clock.now())
    const source = { ...row, organization: tenant.number, muted: false, max_open: MAX_SOURCE_OPEN.maximum }
    const alert = testAlert(newId(), row.name)
    await applyPlan(db, source, planAlerts(source, byFingerprint(id, [alert]), NOTHING_OPEN, at.getTime()), [], { at, beyond: 0 })
    const open = await store.listOpen(db, tenant.number, id, { series: [fingerprintOf(id, alert.key)], isLocked: true })
    await resolveAll(db, tenant.number, open, 'the test has ended', at)
    await recordAudit(db, tenant.number, actor, auditEntry('alert_source.tested', 'alertSource', id, { name: row.name }), at)
    return { incident_id: encodeId('incident', open[0]?.incident_id as string) }
  })
}

const NOTHING_OPEN = { known: new Map(), total: 0 }

const testAlert = (key: string, name: string): ReceivedAlert =>
  alertOf({ key: `test ${key}`, status: 'firing', title: `Test of the alert source ${name}`, severity: 'info' })

type Recipients = 'channel_ids' | 'escalation_policy_id' | 'routes'

/** The stored ids of whom a body names; what it refers to is not deleted before the transaction ends. Throws validation_error. */
async function lockRecipients(
  db: Db,
  tenant: Tenant,
  { channel_ids: channels, escalation_policy_id: policy, routes }: Pick<PatchAlertSourceBody, Recipients>,
): Promise<Partial<Pick<store.SourceColumns, Recipients>>> {
  return {
    ...(channels && { channel_ids: await lockChannels(db, tenant, channels) }),
    ...(policy !== undefined && { escalation_policy_id: policy === null ? null : await lockPolicy(db, tenant, policy) }),
    ...(routes && { routes: await lockRoutes(db, tenant, routes) }),
  }
}

async function lockRoutes(db: Db, tenant: Tenant, routes: NonNullable<PatchAlertSourceBody['routes']>) {
  const ids = routes.map(({ escalation_policy_id: text }) => parseId('escalationPolicy', text))
  const found = await lockReferences(
    db,
    'escalation_policy',
    tenant.number,
    ids.flatMap((id) => id ?? []),
  )
  return routes.map(({ labels }, index) => {
    const id = ids[index]
    if (id !== undefined && found.has(id)) return { labels, policy_id: id }
    throw invalid({ path: `routes.${index}.escalation_policy_id`, message: 'is not an escalation policy of this organization' })
  })
}

const ruleOf = ({ name, enabled, default_severity, channel_ids, escalation_policy_id }: store.SourceColumns) => ({
  name,
  enabled,
  severity: default_severity,
  channelIds: channel_ids,
  policyId: escalation_policy_id,
})

/** What its row of rules does not say. */
function ownOf(columns: store.SourceColumns): Omit<store.SourceColumns, 'channel_ids' | 'escalation_policy_id'> {
  const said = pickFields(CreateAlertSourceBody, columns) as store.SourceColumns
  const { channel_ids: _channels, escalation_policy_id: _policy, ...own } = said
  return own
}
