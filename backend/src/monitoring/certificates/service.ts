import {
  type CertificateDetails,
  type CertificateList,
  type CertificateListQuery,
  type CreateCertificateBody,
  DAY_MS,
  MAX_SEEN,
  type PatchCertificateBody,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { newId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { deleteUnseen } from './sighting-store.ts'
import * as store from './store.ts'
import { toCertificate, toSeen } from './wire.ts'

export interface CertificateDeps {
  db: Db
  clock: Clock
}

/** An id that is none has no certificates. */
const NO_SERVER = '00000000-0000-0000-0000-000000000000'

/** One page of what checks see now, of those in files of hosts, and of those by hand, the soonest end first. */
export async function listCertificates(
  { db }: Pick<CertificateDeps, 'db'>,
  tenant: Tenant,
  { sort = 'not_after', q: text, tag: tags = [], server_id: server, page, limit }: CertificateListQuery & PageRequest,
): Promise<CertificateList> {
  const serverId = server === undefined ? undefined : (parseId('server', server) ?? NO_SERVER)
  const { total, rows } = await store.listCertificates(db, tenant.number, { text, tags, serverId }, sort, { page, limit })
  return { certificates: rows.map(toCertificate), total, page, limit }
}

/** Throws not_found across organizations. */
export async function getCertificate(
  { db }: Pick<CertificateDeps, 'db'>,
  tenant: Tenant,
  id: string,
): Promise<CertificateDetails> {
  const row = await store.findCertificate(db, tenant.number, id)
  if (!row) throw notFound()
  const isSeen = row.monitors > 0 || row.servers > 0
  const seen = isSeen ? await store.listSeen(db, tenant.number, id, MAX_SEEN) : []
  const chain = isSeen ? await store.findChain(db, tenant.number, id) : []
  return { ...toCertificate(row), chain, seen: seen.map(toSeen), seen_total: seen[0]?.total ?? 0 }
}

/** Adds one by hand. Throws validation_error; conflict where there are too many. */
export async function createCertificate(
  deps: CertificateDeps,
  actor: Actor<Principal>,
  { name, not_after: end }: CreateCertificateBody,
): Promise<CertificateDetails> {
  const tenant = tenantOf(actor.principal)
  const columns = { name, not_after: instantAt('not_after', end) }
  return inTransaction(deps.db, async (db) => {
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'certificate')
    await store.insertManual(db, tenant.number, id, columns, at)
    await recordAudit(db, tenant.number, actor, auditEntry('certificate.created', 'certificate', id, { name }), at)
    return getCertificate({ db }, tenant, id)
  })
}

/** Changes one by hand. Throws not_found across organizations, validation_error, conflict for one that a check saw. */
export async function patchCertificate(
  deps: CertificateDeps,
  actor: Actor<Principal>,
  id: string,
  { name, not_after: end }: PatchCertificateBody,
): Promise<CertificateDetails> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    const row = await lockManual(db, tenant, id, 'changed')
    const given = { ...(name !== undefined && { name }), ...(end !== undefined && { not_after: instantAt('not_after', end) }) }
    const changed = [
      ...(given.name === undefined || given.name === row.name ? [] : ['name']),
      ...(given.not_after === undefined || given.not_after.getTime() === row.not_after.getTime() ? [] : ['not_after']),
    ]
    if (changed.length > 0) {
      const at = new Date(deps.clock.now())
      await store.updateManual(db, tenant.number, id, given, at)
      const details = { name: given.name ?? row.name, changed }
      await recordAudit(db, tenant.number, actor, auditEntry('certificate.updated', 'certificate', id, details), at)
    }
    return getCertificate({ db }, tenant, id)
  })
}

/** Deletes one by hand. Throws not_found across organizations, conflict for one that a check saw. */
export async function deleteCertificate(deps: CertificateDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const { name } = await lockManual(db, tenant, id, 'deleted')
    const at = new Date(deps.clock.now())
    await store.deleteManual(db, tenant.number, id)
    await recordAudit(db, tenant.number, actor, auditEntry('certificate.deleted', 'certificate', id, { name }), at)
  })
}

async function lockManual(db: Db, tenant: Tenant, id: string, verb: 'changed' | 'deleted') {
  const row = await store.lockCertificate(db, tenant.number, id)
  if (!row) throw notFound()
  if (row.fingerprint !== null) throw conflict(`Checks or agents saw this certificate: only those added by hand can be ${verb}.`)
  return row
}

/** Of one that no region sees and none has replaced lately. */
const UNSEEN_MS = DAY_MS

/** Several processes may run it at once. */
export const deleteUnseenCertificates = (db: Db, nowMs: number): Promise<void> => deleteUnseen(db, new Date(nowMs - UNSEEN_MS))
