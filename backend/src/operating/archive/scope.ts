import type { TableHead } from './format.ts'
import { LAST_EXPORT } from './last-export-store.ts'

const OF_PEOPLE = 'in (select user_id from membership where organization = $organization)'
/** Rows of tables without an organization column that belong to the export of one organization. Other such tables are omitted. */
const GLOBAL: Readonly<Record<string, string>> = {
  organization: 'number = $organization',
  app_user: `id ${OF_PEOPLE}`,
  user_totp: `user_id ${OF_PEOPLE}`,
  recovery_code: `user_id ${OF_PEOPLE}`,
  passkey: `user_id ${OF_PEOPLE}`,
  user_identity: 'identity_provider in (select id from identity_provider where organization = $organization)',
  // Checks name their region by its number.
  region: 'true',
  metric_progress: 'true',
  check_progress: 'true',
  setting: `name = 'secret_fingerprint'`,
}
/** Both installations would notify the same people; the security log is that of this installation. */
const LEFT = new Set([
  'mail_outbox',
  'notification_delivery',
  'notification_group',
  'push_delivery',
  'push_subscription',
  'live_event',
  'security_event',
  'subscriber_mail',
  'subscriber_push',
  'subscriber_webhook',
  'unconfirmed_mail',
  'used_action_link',
])
/** Credentials that are valid only in the exported installation. */
const NULLED: Readonly<Record<string, readonly string[]>> = { region: ['token_hash'] }

/** Columns and condition of the exported rows of one organization, or of everything. Undefined: no rows. */
export function rowsOf(
  { name, columns }: TableHead,
  organization: number | undefined,
): { columns: string[]; where: string } | undefined {
  const quoted = columns.map((column) => `"${column}"`)
  // The state of an import, and when there was an export, belong to this database only.
  if (organization === undefined)
    return { columns: quoted, where: name === 'setting' ? `name not in ('import', 'imported', '${LAST_EXPORT}')` : 'true' }
  const condition =
    GLOBAL[name] ?? (columns.includes('organization') && !LEFT.has(name) ? 'organization = $organization' : undefined)
  if (condition === undefined) return undefined
  const nulled = NULLED[name] ?? []
  return {
    columns: columns.map((column, index) => (nulled.includes(column) ? 'null' : (quoted[index] ?? ''))),
    where: condition.replaceAll('$organization', String(Math.trunc(organization))),
  }
}
