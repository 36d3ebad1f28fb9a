import { type ConfigurationResource, MAX_NAME_LENGTH } from '@vedette/shared'

/** What of another tool becomes what here. */
export interface Moved {
  resources: ConfigurationResource[]
  report: ReportRow[]
}

export interface ReportRow {
  source: Source
  /** References of resources, as `schedule:opsgenie/schedules/4a`. */
  becomes: string[]
  fidelity: Fidelity
  /** What differs from the source, in words. */
  changes: string[]
  /** Why it does not come; null: it comes. */
  reason: string | null
}

export interface Source {
  kind: string
  id: string
  name: string
}

/** `changed`: it works in another way; `partly`: something of it is missing; `refused`: it does not come. */
export type Fidelity = 'exact' | 'changed' | 'partly' | 'refused'

/** What is found out about one thing of the source. */
export interface Notes {
  changes: string[]
  losses: string[]
}

export const newNotes = (): Notes => ({ changes: [], losses: [] })

export const refused = (source: Source, reason: string): ReportRow => ({
  source,
  becomes: [],
  fidelity: 'refused',
  changes: [],
  reason,
})

/** The row of what comes. */
export const moved = (source: Source, becomes: readonly string[], { changes, losses }: Notes): ReportRow => ({
  source,
  becomes: [...becomes],
  fidelity: losses.length > 0 ? 'partly' : changes.length > 0 ? 'changed' : 'exact',
  changes: [...new Set([...losses, ...changes])],
  reason: null,
})

/** The members of the organization here. */
export interface People {
  /** Undefined: nobody here has this e-mail. */
  idOf(email: string): string | undefined
}

export const peopleOf = (members: readonly { id: string; email: string }[]): People => {
  const ids = new Map(members.map(({ id, email }) => [emailKey(email), id]))
  return { idOf: (email) => ids.get(emailKey(email)) }
}

const emailKey = (email: string): string => email.trim().toLowerCase()

const MAX_REF_PART = 120
/** A reference of what had an id at the source: what references may not have becomes a hyphen. */
export const refOf = (tool: string, kind: string, id: string): string =>
  `${tool}/${kind}/${id.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, MAX_REF_PART)}`

const MAX_NAME = MAX_NAME_LENGTH
/** A name as resources may have it. */
export const nameOf = (text: string): string => {
  const name = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name) || 'Unnamed'
}
