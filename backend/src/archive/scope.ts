import type { TableHead } from './format.ts'

const OF_PEOPLE = 'in (select user_id from membership where organization = $organization)'
/** What an export of one organization takes of tables that have no organization; of others that are not named here it takes nothing. */
const GLOBAL: Readonly<Record<string, string>> = {
  organization: 'number = $organization',
  app_user: `id ${OF_PEOPLE}`,
  user_totp: `user_id ${OF_PEOPLE}`,
  recovery_code: `user_id ${OF_PEOPLE}`,
  // Checks name their region by its number.
  region: 'true',
  metric_progress: 'true',
  check_progress: 'true',
  setting: `name = 'secret_fingerprint'`,
}
/** Whoever goes on here would be told twice. */
const LEFT = new Set(['mail_outbox', 'telling', 'live_event'])
/** Other people's, or good for the other installation only. */
const NULLED: Readonly<Record<string, readonly string[]>> = { region: ['token_hash'] }

/** Columns and condition of the rows that are exported; of an organization, else of everything. Undefined: none. */
export function rowsOf(
  { name, columns }: TableHead,
  organization: number | undefined,
): { columns: string[]; where: string } | undefined {
  const quoted = columns.map((column) => `"${column}"`)
  // Whether an import runs, or was, is said of this database.
  if (organization === undefined)
    return { columns: quoted, where: name === 'setting' ? `name not in ('import', 'imported')` : 'true' }
  const condition =
    GLOBAL[name] ?? (columns.includes('organization') && !LEFT.has(name) ? 'organization = $organization' : undefined)
  if (condition === undefined) return undefined
  const nulled = NULLED[name] ?? []
  return {
    columns: columns.map((column, index) => (nulled.includes(column) ? 'null' : (quoted[index] ?? ''))),
    where: condition.replaceAll('$organization', String(Math.trunc(organization))),
  }
}
