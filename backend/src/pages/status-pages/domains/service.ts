import { HOUR_MS, type StatusPage, truncateText } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit, SYSTEM } from '../../../access/audit/index.ts'
import { type Principal, tenantOf } from '../../../access/auth/index.ts'
import { announceChange, type Db, inTransaction } from '../../../platform/db/index.ts'
import { conflict, notFound } from '../../../platform/errors.ts'
import { applyLookup, type TxtAnswer, type TxtLookup } from '../../../platform/domain-proof/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { PageKeys } from '../pages/keys.ts'
import { getPage, type PageDeps } from '../pages/service.ts'
import { findPage, putAddress, removeAddresses } from '../pages/store.ts'
import * as store from './store.ts'

export interface DomainDeps {
  db: Db
  clock: Clock
  keys: PageKeys
  lookup: TxtLookup
}

/** `taken`: another page has proven the domain, and its record is there as well. `changed`: the page has another domain by now. */
type Finding = 'proven' | 'taken' | 'changed' | 'missing' | 'failed'

const recordOf = (domain: string): string => `_vedette.${domain}`

/** Looks up the record of a page's domain, and stores what follows. */
async function checkDomain(
  { db: pool, clock, keys, lookup }: DomainDeps,
  { organization, id, domain }: store.PageDomain,
  actor: Actor,
): Promise<{ finding: Finding; answer: TxtAnswer }> {
  const answer = await lookup(recordOf(domain))
  const has = (pageId: string) =>
    'values' in answer && keys.ofDomain(pageId, domain).some((value) => answer.values.includes(value))
  const record = 'code' in answer ? 'failed' : has(id) ? 'found' : 'missing'
  const finding = await inTransaction(pool, async (db): Promise<Finding> => {
    // Always in this order: two pages that prove one domain wait for each other here.
    const owner = record === 'found' ? await store.lockOwner(db, domain) : undefined
    const row = await store.lockDomain(db, organization, id)
    if (row?.domain !== domain) return 'changed'
    const nowMs = clock.now()
    const at = new Date(nowMs)
    const state = {
      verifiedAtMs: row.domain_verified_at?.getTime() ?? null,
      missingAtMs: row.domain_missing_at?.getTime() ?? null,
    }
    const isForeign = owner !== undefined && owner.page_id !== id
    // Who has taken the record away has given the domain up.
    if (isForeign && !has(owner.page_id)) await endProof(db, owner.organization, owner.page_id, at)
    const isProven =
      record === 'found' && !(isForeign && has(owner.page_id)) && (await putAddress(db, organization, id, 'domain', domain))
    const next = applyLookup(state, record === 'found' && !isProven ? 'missing' : record, row.updated_at.getTime(), nowMs)
    const isChanged = (next.verifiedAtMs === null) !== (state.verifiedAtMs === null)
    await store.updateDomain(db, organization, id, {
      domain_verified_at: next.verifiedAtMs === null ? null : new Date(next.verifiedAtMs),
      domain_missing_at: next.missingAtMs === null ? null : new Date(next.missingAtMs),
      domain_check_at: new Date(next.nextAtMs),
      ...(isChanged && { updated_at: at }),
    })
    if (isChanged) {
      if (next.verifiedAtMs === null) await removeAddresses(db, organization, id, 'domain')
      await recordProof(db, organization, actor, id, { name: row.name, domain }, next.verifiedAtMs !== null, at)
    }
    if (isProven) return 'proven'
    return record === 'found' ? 'taken' : record
  })
  return { finding, answer }
}

async function endProof(db: Db, organization: number, id: string, at: Date): Promise<void> {
  const row = await store.lockDomain(db, organization, id)
  await removeAddresses(db, organization, id, 'domain')
  if (!row || row.domain_verified_at === null) return
  const next = new Date(at.getTime() + HOUR_MS)
  const change = { domain_verified_at: null, domain_missing_at: null, domain_check_at: next, updated_at: at }
  await store.updateDomain(db, organization, id, change)
  await recordProof(db, organization, SYSTEM, id, { name: row.name, domain: row.domain }, false, at)
}

/** The copies of all instances are renewed. */
async function recordProof(db: Db, organization: number, actor: Actor, id: string, details: object, isProven: boolean, at: Date) {
  const action = isProven ? 'status_page.domain_verified' : 'status_page.domain_lost'
  await recordAudit(db, organization, actor, auditEntry(action, 'statusPage', id, details), at)
  await announceChange(db, 'status_page', [id])
}

/** Of one run; it is repeated each minute. */
const [MAX_LOOKUPS, AT_ONCE] = [100, 10]

/** Looks up the domains that are due. */
export async function checkDueDomains(deps: DomainDeps & { log: Log }): Promise<void> {
  const due = await store.listDueDomains(deps.db, new Date(deps.clock.now()), MAX_LOOKUPS)
  const next = due.values()
  const work = async () => {
    for (const page of next)
      await checkDomain(deps, page, SYSTEM).catch((error: unknown) =>
        deps.log.warn({ err: error, domain: page.domain }, 'could not check the domain of a status page; it is tried again'),
      )
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Looks up the record now. Throws not_found across organizations, and conflict with what was found in place of the record. */
export async function verifyDomain(deps: DomainDeps & PageDeps, actor: Actor<Principal>, id: string): Promise<StatusPage> {
  const tenant = tenantOf(actor.principal)
  const row = await findPage(deps.db, tenant.number, id)
  if (!row) throw notFound()
  const { domain } = row
  if (domain === null) throw conflict('The status page has no domain.')
  const { finding, answer } = await checkDomain(deps, { organization: tenant.number, id, domain }, actor)
  if (finding === 'proven') return getPage(deps, tenant, id)
  if (finding === 'changed') throw conflict('The domain of the status page was changed meanwhile.')
  if (finding === 'taken') throw conflict(`Another status page has proven ${domain}, and its TXT record is still there.`)
  throw conflict(describe(recordOf(domain), answer))
}

function describe(name: string, answer: TxtAnswer): string {
  if ('code' in answer) return `The TXT records of ${name} could not be looked up (${answer.code}). Try again later.`
  if (answer.values.length === 0) return `There is no TXT record at ${name}. A new record may take some minutes to be seen.`
  const values = answer.values.slice(0, 3).map((value) => `"${truncateText(value, 100).replaceAll(/[^\u0020-\u007e]/g, '?')}"`)
  return `The TXT record at ${name} has another value: ${values.join(', ')}.`
}
