import type { ChannelFault, IdentityProvider, ProvidedRole, RoleMapping } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { DeletedColumns, Instant, ManagedColumn } from './columns.ts'

interface UserTable {
  id: string
  /** Lower case. */
  email: string
  /** When the owner of the mailbox acted; null until then. */
  email_verified_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** Null: shown by the e-mail alone. */
  name: ColumnType<string | null, string | null | undefined, string | null>
  password_hash: string
  password_changed_at: Instant
  created_at: Instant
}

interface SessionTable {
  id: string
  user_id: string
  created_at: Instant
  expires_at: Instant
  ended_at: Instant | null
  /** Of a session that a wall keeps: until when it may change something. */
  full_until: ColumnType<Date | null, Date | null | undefined, Date | null>
  ip: string
  user_agent: ColumnType<string, string | undefined, string>
  /** At most a minute old; null before the second request. */
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  /** That opened it; null, like the following, of a session that a password opened. */
  identity_provider: ColumnType<string | null, string | null | undefined, never>
  /** What the provider calls the user. */
  provider_subject: ColumnType<string | null, string | null | undefined, never>
  /** What the provider calls its own session; null where it does not say. */
  provider_session: ColumnType<string | null, string | null | undefined, never>
  /** That opened it, or that was added in it; null: a password or a provider opened it. */
  passkey: ColumnType<string | null, string | null | undefined, string | null>
}

interface PasskeyTable {
  id: string
  user_id: string
  name: string
  credential_id: Buffer
  /** A COSE key. */
  public_key: Buffer
  /** Signatures so far; 0: the authenticator does not count. */
  counter: number
  transports: string[]
  synced: boolean
  created_at: Instant
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date>
}

interface UsedPasskeyChallengeTable {
  /** SHA-256. */
  challenge_hash: Buffer
  expires_at: Instant
}

/** By domain, those that are proved: since when, and since when the record is missing. */
export type DomainProofs = Readonly<Record<string, { proved_at: string; missing_at: string | null }>>

interface IdentityProviderTable extends DeletedColumns {
  id: string
  organization: number
  name: string
  kind: IdentityProvider['kind']
  issuer: string
  client_id: string
  /** The client secret. */
  secret_encrypted: Buffer
  /** Lower case. */
  email_domains: string[]
  creates_accounts: boolean
  default_role: ProvidedRole
  role_claim: string | null
  role_mapping: ColumnType<RoleMapping[], string, string>
  enabled: boolean
  /** The value of the TXT records that prove the domains. */
  domain_token: string
  domain_proofs: ColumnType<DomainProofs, string, string>
  /** When they are looked up next; null: now. */
  domains_check_at: ColumnType<Date | null, Date | null, Date | null>
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
}

interface UserIdentityTable {
  identity_provider: string
  subject: string
  user_id: string
  created_at: Instant
}

interface IdentityRequestTable {
  /** SHA-256 of the state. */
  state_hash: Buffer
  identity_provider: string
  /** SHA-256 of the cookie of the browser that began it. */
  browser_hash: Buffer
  /** Nonce and PKCE verifier. */
  encrypted: Buffer
  return_path: string
  expires_at: Instant
}

interface IdentityLogoutTable {
  identity_provider: string
  /** SHA-256 of the id of a logout token. */
  token_hash: Buffer
  expires_at: Instant
}

interface SessionRefreshTable {
  session_id: string
  /** SHA-256 of the part of the cookie that stays. */
  family_hash: Buffer
  /** SHA-256 of the part that the cookie has now. */
  hash: Buffer
  /** Of the part that it had before; null, like the following, before the first refresh. */
  previous_hash: ColumnType<Buffer | null, Buffer | null | undefined, Buffer>
  /** Derives the present part from the previous one. */
  salt: ColumnType<Buffer | null, Buffer | null | undefined, Buffer>
  refreshed_at: ColumnType<Date | null, Date | null | undefined, Date>
}

interface PushSubscriptionTable {
  id: string
  user_id: string
  /** That turned it on; null once it has expired. */
  session_id: string | null
  /** SHA-256. */
  endpoint_hash: Buffer
  /** Endpoint and keys. */
  encrypted: Buffer
  user_agent: string
  created_at: Instant
  last_error: ColumnType<ChannelFault | null, string | null | undefined, string | null>
}

interface UserTotpTable {
  user_id: string
  /** Encrypted. */
  secret: Buffer
  created_at: Instant
  /** Null while the set-up is not confirmed. */
  enabled_at: ColumnType<Date | null, Date | null, Date | null>
  /** The newest time step whose code was accepted. */
  last_step: number
  /** Wrong codes since the last right one. */
  failures: Generated<number>
  /** Until then codes of the authenticator are refused. */
  retry_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface RecoveryCodeTable {
  user_id: string
  hash: Buffer
}

interface PasswordResetTable {
  user_id: string
  hash: Buffer
  created_at: Instant
  expires_at: Instant
}

interface EmailVerificationTable {
  user_id: string
  /** The present e-mail, or the one that replaces it. Lower case. */
  email: string
  /** SHA-256 of the token in the link. */
  hash: Buffer
  expires_at: Instant
}

interface PasswordResetRequestTable {
  email: string
  requested_at: Instant
  next_try_at: Instant
}

export interface AccountTables {
  app_user: UserTable
  push_subscription: PushSubscriptionTable
  session: SessionTable
  session_refresh: SessionRefreshTable
  user_totp: UserTotpTable
  recovery_code: RecoveryCodeTable
  password_reset: PasswordResetTable
  email_verification: EmailVerificationTable
  password_reset_request: PasswordResetRequestTable
  identity_provider: IdentityProviderTable
  user_identity: UserIdentityTable
  identity_request: IdentityRequestTable
  identity_logout: IdentityLogoutTable
  passkey: PasskeyTable
  used_passkey_challenge: UsedPasskeyChallengeTable
}
