import { isDeepStrictEqual } from 'node:util'
import {
  type CreateStatusPageBody,
  type ErrorDetail,
  MAX_LISTED_LOGO_LENGTH,
  MAX_PAGE_MONITORS,
  type PatchStatusPageBody,
  type StatusPage,
  type StatusPageList,
  type StatusPageSection,
  toTimestamp,
} from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../../access/audit/index.ts'
import { hashPassword, type Principal, type Tenant, tenantOf } from '../../../access/auth/index.ts'
import { refuseOverBound } from '../../../access/plans/index.ts'
import { announceChange, type Db, inTransaction, type PageRequest } from '../../../platform/db/index.ts'
import { certainFaults, type OwnFaults, requireNoFaults } from '../../../platform/http/index.ts'
import { zoneFaults } from '../../../platform/time/instant.ts'
import { lockReferences } from '../../../operating/references/index.ts'
import { restoreDeleted } from '../../../operating/deletions/index.ts'
import { conflict, invalid, notFound } from '../../../platform/errors.ts'
import { encodeId, newId, parseId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { linkTo } from './address.ts'
import type { PageKeys } from './keys.ts'
import { logoFault } from './logo.ts'
import * as store from './store.ts'

export interface PageDeps {
  db: Db
  clock: Clock
  keys: PageKeys
  /** The base URL of links. */
  publicUrl(): string
}

export const DEFAULTS = {
  domain: null,
  domain_verified_at: null,
  description: '',
  logo: null,
  accent: null,
  theme: 'auto',
  time_zone: 'UTC',
  language: 'en',
  sections: [],
  visibility: 'public',
  password_hash: null,
  link_version: 1,
  indexed: true,
  published: false,
  templates: [],
} as const satisfies Partial<Record<keyof store.PageColumns, unknown>>

/** One page of the organization's status pages, newest first. */
export async function listPages(deps: PageDeps, tenant: Tenant, request: PageRequest): Promise<StatusPageList> {
  const { total, rows } = await store.listPages(deps.db, tenant.number, request)
  return { status_pages: rows.map((row) => toListed(toPage(deps, row))), total, page: request.page, limit: request.limit }
}

/** Throws not_found across organizations. */
export async function getPage(deps: PageDeps, tenant: Tenant, id: string): Promise<StatusPage> {
  const row = await store.findPage(deps.db, tenant.number, id)
  if (!row) throw notFound()
  return toPage(deps, row)
}

/** Throws validation_error, and conflict for the slug of another page. */
export async function createPage(deps: PageDeps, actor: Actor<Principal>, body: CreateStatusPageBody): Promise<StatusPage> {
  const tenant = tenantOf(actor.principal)
  requireNoFaults(ownPageFaults, body)
  const hash = await hashOf(body)
  return inTransaction(deps.db, async (db) => {
    const change = await columnsOf(db, tenant, body, hash)
    const page = { ...DEFAULTS, ...change } as store.PageColumns
    requireValid(page, deps)
    const [id, at] = [newId(), new Date(deps.clock.now())]
    await refuseOverBound(db, tenant.number, 'status_page')
    await store.insertPage(db, tenant.number, { ...page, id }, at)
    await takeSlug(db, tenant, id, page.slug)
    await record(db, tenant, actor, 'status_page.created', id, { name: page.name, slug: page.slug }, at)
    return getPage({ ...deps, db }, tenant, id)
  })
}

/** Changes what the body names. Throws not_found across organizations, validation_error, conflict for the slug of another page. */
export async function patchPage(
  deps: PageDeps,
  actor: Actor<Principal>,
  id: string,
  body: PatchStatusPageBody,
): Promise<StatusPage> {
  const tenant = tenantOf(actor.principal)
  const hash = await hashOf(body)
  return inTransaction(deps.db, async (db) => {
    if (!(await store.findPage(db, tenant.number, id))) throw notFound()
    const change = await columnsOf(db, tenant, body, hash)
    const row = await store.lockPage(db, tenant.number, id)
    if (!row) throw notFound()
    if (body.renew_link) change.link_version = row.link_version + 1
    if (change.domain !== undefined && change.domain !== row.domain) change.domain_verified_at = null
    requireValid({ ...row, ...change }, deps)
    const names = Object.keys(change) as (keyof store.PageColumns)[]
    const changed = names.filter((name) => !isDeepStrictEqual(row[name], change[name]))
    if (changed.length === 0) return toPage(deps, row)
    const at = new Date(deps.clock.now())
    await store.updatePage(db, tenant.number, id, change, at)
    // What they get has the key of the page, which the renewal takes from everybody.
    const ended = body.renew_link ? await store.deleteVisitors(db, tenant.number, id) : 0
    if (change.slug !== undefined && change.slug !== row.slug) await takeSlug(db, tenant, id, change.slug)
    if (changed.includes('domain')) {
      await store.removeAddresses(db, tenant.number, id, 'domain')
      await store.startDomainChecks(db, tenant.number, id)
    }
    const fields = changed.map((name) => (name === 'password_hash' ? 'password' : name)).toSorted()
    const details = { name: change.name ?? row.name, changed: fields, ...(ended > 0 && { subscriptions_ended: ended }) }
    await record(db, tenant, actor, 'status_page.updated', id, details, at)
    return getPage({ ...deps, db }, tenant, id)
  })
}

/** Throws not_found across organizations. */
export async function deletePage(deps: PageDeps, actor: Actor<Principal>, id: string): Promise<void> {
  const tenant = tenantOf(actor.principal)
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockPage(db, tenant.number, id)
    if (!row) throw notFound()
    const at = new Date(deps.clock.now())
    await store.deletePage(db, tenant.number, id, at)
    await record(db, tenant, actor, 'status_page.deleted', id, { name: row.name, slug: row.slug }, at)
  })
}

/**
 * Brings a deleted page back at its addresses, with its posts and subscribers. Throws not_found across organizations, conflict over the
 * bound and for an address that another page has by now.
 */
export async function restorePage(deps: PageDeps, actor: Actor<Principal>, id: string): Promise<StatusPage> {
  const tenant = tenantOf(actor.principal)
  return inTransaction(deps.db, async (db) => {
    await restoreDeleted(
      { ...deps, db },
      actor,
      id,
      store.deletedPages,
      async ({ slug, domain, domain_verified_at: verifiedAt }) => {
        await takeSlug(db, tenant, id, slug)
        if (domain !== null && verifiedAt !== null) await takeDomain(db, tenant, id, domain)
        await announceChange(db, 'status_page', [id])
      },
    )
    return getPage({ ...deps, db }, tenant, id)
  })
}

/** Records a change of a page, and announces it to all instances: their copies of the page are renewed. */
async function record(db: Db, tenant: Tenant, actor: Actor, action: string, id: string, details: object, at: Date) {
  await recordAudit(db, tenant.number, actor, auditEntry(action, 'statusPage', id, details), at)
  await announceChange(db, 'status_page', [id])
}

const hashOf = async ({ password }: PatchStatusPageBody): Promise<string | undefined> =>
  password === undefined ? undefined : hashPassword(password)

async function takeSlug(db: Db, { number }: Tenant, id: string, slug: string): Promise<void> {
  if (!(await store.putAddress(db, number, id, 'slug', slug))) throw conflict(`slug: another status page has ${slug}.`)
}

async function takeDomain(db: Db, { number }: Tenant, id: string, domain: string): Promise<void> {
  if (!(await store.putAddress(db, number, id, 'domain', domain))) throw conflict(`domain: another status page has ${domain}.`)
}

/** The columns that a body names; a monitor among them is not deleted before the transaction ends. */
async function columnsOf(
  db: Db,
  tenant: Tenant,
  { password: _password, renew_link: _renew, sections, ...body }: PatchStatusPageBody,
  passwordHash: string | undefined,
): Promise<Partial<store.PageColumns>> {
  if (sections) await requireMonitors(db, tenant, sections)
  return {
    ...body,
    ...(sections && { sections }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
  }
}

async function requireMonitors(db: Db, tenant: Tenant, sections: readonly StatusPageSection[]): Promise<void> {
  const named = sections.flatMap(({ monitors = [] }, section) =>
    monitors.map((id, index) => ({ id: parseId('monitor', id), path: `sections.${section}.monitors.${index}` })),
  )
  const ids = named.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const found = await lockReferences(db, 'monitor', tenant.number, ids)
  const faults = named.filter(({ id }) => id === undefined || !found.has(id))
  if (faults.length > 0) throw invalid(...faults.map(({ path }) => ({ path, message: 'is not a monitor of this organization' })))
}

function requireValid(page: store.PageColumns, { publicUrl }: Pick<PageDeps, 'publicUrl'>): void {
  // Nothing but the page would answer there.
  const isOwnHost = page.domain === new URL(publicUrl()).hostname
  const domain = isOwnHost ? [{ path: 'domain', message: 'must not be the host of Vedette itself' }] : []
  const faults = [...domain, ...pageFaults(page)]
  if (faults.length > 0) throw invalid(...faults)
}

/** Throws validation_error for what visitors could not be shown. */
export const requireShowable = (page: Parameters<typeof pageFaults>[0]): void => {
  const faults = pageFaults({ ...page, sections: [] })
  if (faults.length > 0) throw invalid(...faults)
}

/** What the schema cannot validate. Pure. */
function pageFaults(
  page: Pick<store.PageColumns, 'logo' | 'time_zone' | 'visibility' | 'password_hash' | 'sections'>,
): ErrorDetail[] {
  const faults = zoneFaults(page.time_zone)
  const logo = logoFault(page.logo)
  if (logo !== undefined) faults.push({ path: 'logo', message: logo })
  if (page.visibility === 'password' && page.password_hash === null)
    faults.push({ path: 'password', message: 'is required for the visibility password' })
  for (const [index, { monitors, tag }] of page.sections.entries())
    if ((monitors === undefined) === (tag === undefined))
      faults.push({ path: `sections.${index}`, message: 'must have either monitors or a tag' })
  const all = page.sections.flatMap(({ monitors = [] }) => monitors)
  if (all.length > MAX_PAGE_MONITORS)
    faults.push({ path: 'sections', message: `must have at most ${MAX_PAGE_MONITORS} monitors in all` })
  if (new Set(all).size < all.length) faults.push({ path: 'sections', message: 'must not have a monitor twice' })
  return faults
}

/** Of a new page. */
export const ownPageFaults: OwnFaults = (body, isRefused) => {
  const { password = null, ...given } = body as Partial<CreateStatusPageBody>
  return certainFaults(
    pageFaults({ ...DEFAULTS, sections: [], ...given, password_hash: password }),
    { password: ['visibility'] },
    isRefused,
  )
}

function toListed(page: StatusPage): StatusPage {
  return (page.logo?.length ?? 0) > MAX_LISTED_LOGO_LENGTH ? { ...page, logo: null } : page
}

export function toPage({ keys, publicUrl }: Pick<PageDeps, 'keys' | 'publicUrl'>, row: store.PageRow): StatusPage {
  const { password_hash: _hash, link_version: _version, domain_verified_at: verifiedAt, id, ...fields } = row
  const { domain } = row
  return {
    ...fields,
    id: encodeId('statusPage', id),
    url: linkTo({ keys, publicUrl }, row),
    domain_status: domain === null ? null : verifiedAt === null ? 'pending' : 'verified',
    domain_record: domain === null ? null : { name: `_vedette.${domain}`, value: keys.ofDomain(id, domain)[0] as string },
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}
