/** A text of what an event or an entry of the audit log holds; empty where it has none. */
export function nameIn(value: unknown, field = 'name'): string {
  const name = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined
  return typeof name === 'string' ? name : ''
}

/** What an entry of the audit log was done to, as people call it; empty where the log does not say. */
export const auditedName = (details: unknown): string =>
  nameIn(details) || nameIn(details, 'hostname') || nameIn(details, 'email') || nameIn(details, 'summary')
