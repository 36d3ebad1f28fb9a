import { createHash } from 'node:crypto'
import { type ConfigurationResource, MAX_NAME_LENGTH, MAX_STEP_RECIPIENTS } from '@vedette/shared'

/** What of another tool becomes what here. */
export interface Moved {
  resources: ConfigurationResource[]
  report: ReportRow[]
}

/** Schedules: one of the source may be several here. */
export interface MovedSchedules extends Moved {
  /** Their references by the id of the source, and where that has such references by its name. */
  refs: ReadonlyMap<string, readonly string[]>
}

export interface ReportRow {
  source: Source
  /** References of resources, as `schedule:opsgenie/schedules/4a`. */
  becomes: string[]
  fidelity: Fidelity
  /** What differs from the source and what else is to be known, in words. */
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
  /** Said, and no difference: in which form something comes. */
  remarks: string[]
}

export const newNotes = (): Notes => ({ changes: [], losses: [], remarks: [] })

export const refused = (source: Source, reason: string): ReportRow => ({
  source,
  becomes: [],
  fidelity: 'refused',
  changes: [],
  reason,
})

/** The row of what comes. */
export const moved = (source: Source, becomes: readonly string[], { changes, losses, remarks }: Notes): ReportRow => ({
  source,
  becomes: [...becomes],
  fidelity: losses.length > 0 ? 'partly' : changes.length > 0 ? 'changed' : 'exact',
  changes: [...new Set([...losses, ...changes, ...remarks])],
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

/** The members and the telephones of the organization here. */
export interface People {
  /** Undefined: nobody here has this e-mail. */
  idOf(email: string): string | undefined
  /** The channel of Twilio to this number; undefined: there is none. */
  channelTo(type: PhoneType, number: string): PhoneChannel | undefined
}

export type PhoneType = 'twilio_sms' | 'twilio_voice'

/** A channel of Twilio. */
export interface PhoneChannel {
  id: string
  name: string
  type: PhoneType
  recipient: string
}

export const peopleOf = (members: readonly { id: string; email: string }[], phones: readonly PhoneChannel[] = []): People => {
  const ids = new Map(members.map(({ id, email }) => [emailKey(email), id]))
  return {
    idOf: (email) => ids.get(emailKey(email)),
    channelTo: (type, number) => phones.find((one) => one.type === type && digitsOf(one.recipient) === digitsOf(number)),
  }
}

/** Tools write a number as `49-1511234`, `+49 151 1234` or in two parts. */
const digitsOf = (number: string): string => number.replaceAll(/\D/g, '')

const emailKey = (email: string): string => email.trim().toLowerCase()

/** Why a person does not come: they may be invited. */
export const notHere = (email: string): string => `nobody here has the e-mail ${email}: invite them, and plan again`

/** What a person has at the source: how many rules of notification, and how they are reached. */
interface Reach {
  rules?: number
  methods?: readonly ContactMethod[]
}

/** `kind`: in words of the source without what it adds, as `sms`. `to` is empty where no file says it. */
export interface ContactMethod {
  kind: string
  to: string
}

const PHONE_TYPES: Readonly<Record<string, PhoneType>> = {
  sms: 'twilio_sms',
  voice: 'twilio_voice',
  phone: 'twilio_voice',
  'phone call': 'twilio_voice',
}
const LAST_DIGITS = 2

/**
 * The row of a person. The e-mail of the account is notified here as it is; a telephone by the channel of Twilio to its number, which
 * `withPhones` adds to the steps that name the person.
 */
export function personRow(source: Source, people: People, { rules = 0, methods = [] }: Reach): ReportRow {
  const id = people.idOf(source.name)
  if (id === undefined) return refused(source, notHere(source.name))
  const notes = newNotes()
  const becomes = [id]
  const missing: string[] = []
  for (const { kind, to } of methods) {
    const type = PHONE_TYPES[kind]
    const channel = type && to !== '' ? people.channelTo(type, to) : undefined
    if (channel) {
      becomes.push(`channel:${channel.id}`)
      notes.changes.push(
        `the ${kind} to …${digitsOf(to).slice(-LAST_DIGITS)} is the channel ${channel.name}, in steps that name this person; schedules reach the contact methods alone`,
      )
    } else if (kind !== 'email') missing.push(type && to !== '' ? `${kind} to …${digitsOf(to).slice(-LAST_DIGITS)}` : kind)
    else if (to !== '' && emailKey(to) !== emailKey(source.name)) missing.push('another e-mail than that of the account')
  }
  if (missing.length > 0) {
    const counted = [...Map.groupBy(missing, (one) => one)].map(([one, all]) => (all.length === 1 ? one : `${all.length} ${one}`))
    notes.losses.push(
      `${counted.join(', ')} ${missing.length === 1 ? 'does' : 'do'} not come: no channel of Twilio has the number, or Vedette has no such method. Telegram, ntfy and Pushover are added under the profile`,
    )
  }
  if (rules > 0) notes.changes.push(`${rules} notification rules: a step notifies all contact methods at once`)
  return moved(source, [...new Set(becomes)], notes)
}

/** A contact method of the source, without what the tools add to its kind: `sms_contact_method` is `sms`. */
export const methodOf = (type: string, to = ''): ContactMethod[] => {
  const kind = type
    .toLowerCase()
    .replace(/^notify-by-/, '')
    .replace(/-contact-method(-reference)?$/, '')
    .replaceAll('-', ' ')
  return kind === '' ? [] : [{ kind, to }]
}

/** Steps that name a person notify the channels of their telephones too. Pure. */
export function withPhones({ resources, report }: Moved): Moved {
  const channels = new Map(
    report.flatMap(({ becomes: [id, ...others] }) => {
      const ids = others.filter((ref) => ref.startsWith('channel:')).map((ref) => ref.slice('channel:'.length))
      return id === undefined || ids.length === 0 ? [] : [[id, ids] as const]
    }),
  )
  if (channels.size === 0) return { resources, report }
  const stepOf = (step: Record<string, unknown>) => {
    const ids = (step['user_ids'] as string[]).flatMap((id) => channels.get(id) ?? [])
    return ids.length === 0 ? step : { ...step, channel_ids: [...new Set(ids)].slice(0, MAX_STEP_RECIPIENTS) }
  }
  return {
    report,
    resources: resources.map((one) =>
      one.kind === 'escalation_policy'
        ? { ...one, spec: { ...one.spec, steps: (one.spec['steps'] as Record<string, unknown>[]).map(stepOf) } }
        : one,
    ),
  }
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
