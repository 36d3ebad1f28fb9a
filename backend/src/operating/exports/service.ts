import { isDeepStrictEqual } from 'node:util'
import {
  type CreateExportBody,
  type ErrorDetail,
  EXPORTED_SAMPLES,
  type Export,
  type ExportList,
  MASK,
  movedSecrets,
  originOf,
  type PatchExportBody,
  validateDefinition,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { decryptHeaders, encryptHeaders, type Headers } from './secret.ts'
import { MANAGED_NAME } from './managed.ts'
import type { SampleKind } from './sources/source.ts'
import * as store from './store.ts'
import { toExport } from './wire.ts'

export interface ExportDeps {
  db: Db
  clock: Clock
  /** Of headers. */
  encrypter: Encrypter
}

/** One page of the organization's exports, newest first. */
export async function listExports(
  { db, clock, encrypter }: ExportDeps,
  tenant: Tenant,
  request: PageRequest,
): Promise<ExportList> {
  const { total, rows } = await store.listExports(db, tenant.number, request)
  return { exports: rows.map((row) => toExport(row, encrypter, clock.now())), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getExport({ db, clock, encrypter }: ExportDeps, tenant: Tenant, id: string): Promise<Export> {
  const row = await store.findExport(db, tenant.number, id)
  if (!row) throw notFound()
  return toExport(row, encrypter, clock.now())
}

/** Throws validation_error, conflict over the bound. */
export async function createExport(deps: ExportDeps, actor: Actor<Principal>, body: CreateExportBody): Promise<Export> {
  const tenant = tenantOf(actor.principal)
  const { name, kind, url, headers = {}, samples = EXPORTED_SAMPLES, enabled = true } = body
  refuse([...validateDefinition({ url, headers: sentHeaders(headers) }), ...keptFaults(headers, {})])
  return inTransaction(deps.db, async (db) => {
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'metric_export')
    const encrypted = encryptHeaders(deps.encrypter, id, headers)
    const row = { id, name, kind, url, enabled, samples: inOrder(samples), headers_encrypted: encrypted }
    await store.insertExport(db, tenant.number, row, at)
    await recordAudit(db, tenant.number, actor, auditEntry('export.created', 'export', id, { name, kind }), at)
    return getExport({ ...deps, db }, tenant, id)
  })
}

/** Changes what the body names. Throws not_found across organizations, validation_error. */
export async function patchExport(
  deps: ExportDeps,
  actor: Actor<Principal>,
  id: string,
  { headers: given, ...body }: PatchExportBody,
): Promise<Export> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await store.lockExport(db, tenant.number, id)
    if (!row) throw notFound()
    refuseManaged(row)
    const stored = decryptHeaders(deps.encrypter, row) ?? {}
    refuse([
      ...validateDefinition({ ...(body.url !== undefined && { url: body.url }), headers: given && sentHeaders(given) }),
      ...keptFaults(given ?? {}, stored),
      ...movedFaults(row.url, body.url, stored, given),
    ])
    const headers = given && mergeHeaders(stored, given)
    const changed: string[] = (['name', 'url', 'enabled'] as const).filter(
      (name) => body[name] !== undefined && body[name] !== row[name],
    )
    if (headers && !isDeepStrictEqual(headers, stored)) changed.push('headers')
    const samples = inOrder(body.samples ?? row.samples)
    if (!isDeepStrictEqual(samples, row.samples)) changed.push('samples')
    if (changed.length === 0) return getExport({ ...deps, db }, tenant, id)
    const at = new Date(deps.clock.now())
    const change = { ...body, samples, ...(headers && { headers_encrypted: encryptHeaders(deps.encrypter, id, headers) }) }
    const added = samples.filter((kind) => !row.samples.includes(kind))
    await store.updateExport(db, tenant.number, id, change, added, at)
    const details = { name: body.name ?? row.name, changed: changed.toSorted() }
    await recordAudit(db, tenant.number, actor, auditEntry('export.updated', 'export', id, details), at)
    return getExport({ ...deps, db }, tenant, id)
  })
}

/** The order in which they were given says nothing. */
const inOrder = (samples: readonly SampleKind[]): SampleKind[] => EXPORTED_SAMPLES.filter((kind) => samples.includes(kind))

/** Throws not_found across organizations. */
export async function deleteExport(deps: ExportDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockExport(db, tenant.number, id)
    if (!row) throw notFound()
    refuseManaged(row)
    await store.deleteExport(db, tenant.number, id)
    const at = new Date(deps.clock.now())
    await recordAudit(db, tenant.number, actor, auditEntry('export.deleted', 'export', id, { name: row.name }), at)
  })
}

function refuseManaged({ is_managed: isManaged }: store.ExportRow): void {
  if (isManaged) throw conflict(`This export is made from the setting ${MANAGED_NAME}: change it there.`)
}

function refuse(faults: readonly ErrorDetail[]): void {
  if (faults.length > 0) throw invalid(...faults)
}

const storedUnder = (stored: Headers, name: string): string | undefined =>
  Object.entries(stored).find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1]

const mergeHeaders = (stored: Headers, given: Headers): Headers =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === MASK ? (storedUnder(stored, name) ?? value) : value]),
  )

/** Without the values that stay as they are. */
const sentHeaders = (given: Headers): Headers =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === MASK ? '' : value]))

const keptFaults = (given: Headers, stored: Headers): ErrorDetail[] =>
  Object.entries(given)
    .filter(([name, value]) => value === MASK && storedUnder(stored, name) === undefined)
    .map(([name]) => ({ path: `headers.${name}`, message: `${MASK} keeps a stored value, but none is stored for this header` }))

/** A stored value, which the API never shows, is for the origin that it was configured for. */
function movedFaults(before: string, url: string | undefined, stored: Headers, given: Headers | undefined): ErrorDetail[] {
  if (url === undefined) return []
  const kept = given ? Object.keys(given).filter((name) => given[name] === MASK) : Object.keys(stored)
  const moved = movedSecrets(
    kept,
    () => [originOf(before)],
    () => [originOf(url)],
  )
  const message = 'must be sent again: the stored value is for the origin of the previous url'
  return moved.map((name) => ({ path: `headers.${name}`, message }))
}
