import { createTables } from './create-tables.ts'

/** What proves the e-mail domains of an identity provider. */
export const providerDomains = createTables([
  // The value of the TXT records. `domain_proofs`: { domain: { proved_at, missing_at } }.
  `alter table identity_provider
    add domain_token text not null default '',
    add domain_proofs jsonb not null default '{}',
    add domains_check_at timestamptz`,
  "update identity_provider set domain_token = replace(gen_random_uuid()::text, '-', '')",
  'create index identity_provider_by_check on identity_provider (domains_check_at)',
])
