import { type RawBuilder, sql } from 'kysely'

/**
 * What a person of this alias calls themselves, with the e-mail that nobody else can have, as the pages show it; the e-mail alone where
 * there is no name, and null without a person.
 */
export const personName = (alias: string): RawBuilder<string> => {
  const person = (column: string) => sql.ref(`${alias}.${column}`)
  return sql<string>`coalesce(${person('name')} || ' (' || ${person('email')} || ')', ${person('email')})`
}

/** The same of a person who was read. Pure. */
export const personText = ({ email, name }: { email: string; name: string | null }): string =>
  name === null ? email : `${name} (${email})`
