import { auditEntry, recordAudit, SYSTEM } from '../audit/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { applyLookup, type TxtAnswer, type TxtLookup } from '../../platform/domain-proof/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import * as store from './store.ts'

export interface ProviderDomainDeps {
  db: Db
  clock: Clock
  log: Log
  lookup: TxtLookup
}

/** Of one run, which is repeated each minute. Name servers that are silent take 4 s a provider, whose domains are looked up at once. */
const [MAX_PROVIDERS, AT_ONCE] = [50, 10]

/** The TXT record that proves a domain has the provider's `domain_token` as its value. */
const recordOf = (domain: string): string => `_vedette-domain.${domain}`

/** Looks up the records of the providers that are due. Who does not own a domain is not offered to its people at the sign-in. */
export async function checkDueProviders(deps: ProviderDomainDeps): Promise<void> {
  const due = await store.listDueProviders(deps.db, new Date(deps.clock.now()), MAX_PROVIDERS)
  const next = due.values()
  const work = async () => {
    for (const provider of next)
      await checkDomains(deps, provider).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'could not check the domains of an identity provider; they are tried again'),
      )
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function checkDomains({ db: pool, clock, lookup }: ProviderDomainDeps, due: store.IdentityProviderRow): Promise<void> {
  const found = due.email_domains.map(async (domain): Promise<[string, TxtAnswer]> => [domain, await lookup(recordOf(domain))])
  const answers = new Map(await Promise.all(found))
  await inTransaction(pool, async (db) => {
    const row = await store.lockProvider(db, due.organization, due.id)
    if (!row) return
    const nowMs = clock.now()
    const { proofs, nextAtMs } = proofsAfter(row, answers, nowMs)
    await store.updateProofs(db, row.id, { domain_proofs: proofs, domains_check_at: new Date(nextAtMs) })
    for (const domain of row.email_domains) {
      const [was, is] = [row.domain_proofs[domain] !== undefined, proofs[domain] !== undefined]
      if (was === is) continue
      const action = is ? 'identity_provider.domain_proved' : 'identity_provider.domain_lost'
      const entry = auditEntry(action, 'identityProvider', row.id, { name: row.name, domain })
      await recordAudit(db, row.organization, SYSTEM, entry, new Date(nowMs))
    }
  })
}

/** A domain that was added since the lookup is looked up next. Pure. */
function proofsAfter(
  { email_domains: domains, domain_proofs: before, domain_token: token, updated_at: updatedAt }: store.IdentityProviderRow,
  answers: ReadonlyMap<string, TxtAnswer>,
  nowMs: number,
): { proofs: store.DomainProofs; nextAtMs: number } {
  const proofs: Record<string, store.DomainProofs[string]> = {}
  let nextAtMs = Number.POSITIVE_INFINITY
  for (const domain of domains) {
    const [answer, known] = [answers.get(domain), before[domain]]
    if (!answer) {
      nextAtMs = nowMs
      continue
    }
    const state = { verifiedAtMs: toMs(known?.proved_at), missingAtMs: toMs(known?.missing_at) }
    const record = 'code' in answer ? 'failed' : answer.values.includes(token) ? 'found' : 'missing'
    const next = applyLookup(state, record, updatedAt.getTime(), nowMs)
    nextAtMs = Math.min(nextAtMs, next.nextAtMs)
    const provedAt = toInstant(next.verifiedAtMs)
    if (provedAt !== null) proofs[domain] = { proved_at: provedAt, missing_at: toInstant(next.missingAtMs) }
  }
  return { proofs, nextAtMs }
}

const toMs = (instant: string | null = null): number | null => (instant === null ? null : Date.parse(instant))
const toInstant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
