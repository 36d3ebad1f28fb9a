/** A text field of an event or audit entry; empty without one. */
export function nameIn(value: unknown, field = 'name'): string {
  const name = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined
  return typeof name === 'string' ? name : ''
}

/** The name of the target of an audit entry; empty without one. */
export const auditedName = (details: unknown): string =>
  nameIn(details) || nameIn(details, 'hostname') || nameIn(details, 'email') || nameIn(details, 'summary')
