import type { AuditEvent } from '@vedette/shared'
import { messages } from '../messages/index.ts'

interface Person {
  name: string | null
  email: string
}

/** What a person calls themselves, with the e-mail that nobody else can have; the e-mail alone where there is no name. */
export const personText = ({ name, email }: Person): string => (name === null ? email : `${name} (${email})`)

/** The same of an actor; undefined for what is no person and has no name. */
export const actorText = ({ name, email }: { name: string | null; email: string | null }): string | undefined =>
  email === null ? (name ?? undefined) : personText({ name, email })

/** Who did it; `system`: the name of the installation itself. */
export const actorName = (actor: AuditEvent['actor'], system: string): string =>
  actor.type === 'system' ? system : (actorText(actor) ?? actor.id ?? messages.unknown)

/** One of the members by their id; undefined for who is no member any more. */
export function personOf(members: readonly (Person & { id: string })[], userId: string): string | undefined {
  const member = members.find(({ id }) => id === userId)
  return member && personText(member)
}

/** The person in the data of an event; empty where there is none. */
export function personIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const { name, email } = value as { name?: unknown; email?: unknown }
  const text = (part: unknown) => (typeof part === 'string' ? part : null)
  return actorText({ name: text(name), email: text(email) }) ?? ''
}
