import { createHash } from 'node:crypto'
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

/** What several parts of a configuration become. */
export const together = (parts: readonly Moved[]): Moved => ({
  resources: parts.flatMap(({ resources }) => resources),
  report: parts.flatMap(({ report }) => report),
})

/** The last part: what to switch off at the source. */
export const switchOff = (tool: string, name: string, reason: string): Moved => ({
  resources: [],
  report: [refused({ kind: 'account', id: tool, name }, reason)],
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

/** Why a person does not come: they may be invited. */
export const notHere = (email: string): string => `nobody here has the e-mail ${email}: invite them, and plan again`

/** What a person has at the source: how many rules of notification, and the kinds of their contact methods. */
interface Reach {
  rules?: number
  /** In words of the source, as `sms`; each as often as they have it. Their addresses stay where they are. */
  methods?: readonly string[]
}

/** The row of a person. */
export function personRow(source: Source, people: People, { rules = 0, methods = [] }: Reach): ReportRow {
  const id = people.idOf(source.name)
  if (id === undefined) return refused(source, notHere(source.name))
  const notes = newNotes()
  const counted = [...Map.groupBy(methods, (method) => method)].map(([method, all]) => `${all.length} ${method}`)
  const lost = [
    ...(rules > 0 ? [`${rules} notification rules`] : []),
    ...(counted.length > 0 ? [`contact methods (${counted.join(', ')})`] : []),
  ]
  if (lost.length > 0)
    notes.losses.push(`${lost.join(' and ')} do not come: each person adds contact methods under their profile`)
  return moved(source, [id], notes)
}

/** The kind of a contact method without what the tools add to it: `sms_contact_method` is `sms`. E-mail is that of the account. */
export const methodOf = (type: string): string[] => {
  const method = type
    .toLowerCase()
    .replace(/^notify-by-/, '')
    .replace(/-contact-method(-reference)?$/, '')
  return method === '' || method === 'email' ? [] : [method.replaceAll('-', ' ')]
}

/** The references that things of the source became, without their kind, by their ids. */
export const refsById = ({ report }: Moved): Map<string, string> =>
  new Map(
    report.flatMap(({ source, becomes: [ref] }) =>
      ref === undefined ? [] : [[source.id, ref.slice(ref.indexOf(':') + 1)] as const],
    ),
  )

const MAX_REF_PART = 120
/** A reference of what had an id at the source. An id that references may not have is shortened, and has a hash, so that two of them stay two. */
export function refOf(tool: string, kind: string, id: string): string {
  const part = id.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, MAX_REF_PART)
  const hash = part === id ? '' : `-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`
  return `${tool}/${kind}/${part}${hash}`
}

const MAX_NAME = MAX_NAME_LENGTH
/** A name as resources may have it. */
export const nameOf = (text: string): string => {
  const name = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name) || 'Unnamed'
}
