/**
 * Whether a session may be used: always where a password opened it. A provider vouches for its own organization only, so its session
 * is good while the user is a member of that organization alone, and not an owner.
 */
export const SESSION_HOLDS = `(session.identity_provider is null or exists (
  select from identity_provider as provider join membership as own on own.organization = provider.organization
  where provider.id = session.identity_provider and provider.enabled and provider.deleted_at is null
    and own.user_id = session.user_id and own.role <> 'owner'
    and not exists (
      select from membership as foreign_one
      where foreign_one.user_id = session.user_id and foreign_one.organization <> provider.organization)))`
