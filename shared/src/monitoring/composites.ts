import type { ErrorDetail } from '../wire/errors.ts'
import { ENTITY_KIND_NAMES } from '../hosts/entities/kinds.ts'
import { MAX_ENTITY_NAME_LENGTH } from '../hosts/entities/limits.ts'
import { MAX_TAG_LENGTH } from '../wire/limits.ts'
import { REGION_STATES, type RegionState } from '../wire/statuses.ts'

/** Members that one composite may have, also through its tags, and composites within each other. */
export const MAX_COMPOSITE_MEMBERS = 500
export const MAX_COMPOSITE_DEPTH = 5
export const MAX_MEMBER_WEIGHT = 1_000

interface MemberFields {
  /** From 1 to 1,000; default 1. */
  weight?: number
  required?: boolean
}

/** A monitor or server, all that have a tag, or a part of a server. */
export type CompositeMember = MemberFields &
  (
    | { type: 'monitor' | 'server'; id: string; tag?: undefined }
    | { type: 'monitor' | 'server'; tag: string; id?: undefined }
    | { type: 'entity'; server_id: string; kind: string; name: string }
  )

/** One of them alone. `up_below_percent` is of the weights of the members that count. */
export type CompositeRule =
  | { down_at_least: number }
  | { up_below_percent: number }
  | { any_required_down: true }
  | { all_down: true }

export interface CompositeOptions {
  members?: CompositeMember[]
  down_when?: CompositeRule
  degraded_when?: CompositeRule
  manual_status?: RegionState
}

/** What a composite without `degraded_when` has. */
export const DEGRADED_BY_DEFAULT: CompositeRule = { up_below_percent: 100 }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fault = (path: string, message: string): ErrorDetail => ({ path, message })

/** Faults of the options of a composite; whether the members exist is checked where they are stored. Pure. */
export function compositeFaults(options: Readonly<Record<string, unknown>>): ErrorDetail[] {
  const { members, down_when: down, degraded_when: degraded, manual_status: manual } = options
  if (manual !== undefined) {
    const foreign = Object.keys(options).filter((name) => name !== 'manual_status' && options[name] !== undefined)
    return [
      ...(REGION_STATES.includes(manual as RegionState)
        ? []
        : [fault('options.manual_status', `must be one of ${REGION_STATES.join(', ')}`)]),
      ...foreign.map((name) => fault(`options.${name}`, 'must be absent where a person sets the status by manual_status')),
    ]
  }
  return [
    ...memberListFaults(members),
    ...(down === undefined ? [fault('options.down_when', 'is required')] : ruleFaults('options.down_when', down)),
    ...(degraded === undefined ? [] : ruleFaults('options.degraded_when', degraded)),
  ]
}

function memberListFaults(members: unknown): ErrorDetail[] {
  if (!Array.isArray(members) || members.length === 0 || members.length > MAX_COMPOSITE_MEMBERS) {
    const message = `must be a list of 1 to ${MAX_COMPOSITE_MEMBERS} members, or manual_status must be there in its place`
    return [fault('options.members', message)]
  }
  const seen = new Set<string>()
  return members.flatMap((member: unknown, index) => {
    const path = `options.members.${index}`
    const own = memberFaults(path, member)
    if (own.length > 0) return own
    const key = memberKey(member as CompositeMember)
    if (seen.has(key)) return [fault(path, 'must not be repeated')]
    seen.add(key)
    return []
  })
}

/** Names what a member stands for, without its weight. */
export const memberKey = (member: CompositeMember): string =>
  member.type === 'entity'
    ? JSON.stringify([member.type, member.server_id, member.kind, member.name])
    : JSON.stringify([member.type, member.id ?? null, member.tag ?? null])

const MAX_ID_LENGTH = 200
const COMMON = ['type', 'weight', 'required']
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  monitor: [...COMMON, 'id', 'tag'],
  server: [...COMMON, 'id', 'tag'],
  entity: [...COMMON, 'server_id', 'kind', 'name'],
}

function memberFaults(path: string, member: unknown): ErrorDetail[] {
  if (!isObject(member)) return [fault(path, 'must be an object')]
  const type = typeof member['type'] === 'string' && Object.hasOwn(FIELDS, member['type']) ? member['type'] : undefined
  if (type === undefined) return [fault(`${path}.type`, 'must be one of monitor, server, entity')]
  const { weight, required } = member
  const isText = (name: string, maximum: number) => {
    const value = member[name]
    return typeof value === 'string' && value !== '' && value.length <= maximum
  }
  const text = (name: string, maximum: number) =>
    isText(name, maximum) ? [] : [fault(`${path}.${name}`, `must be a text of 1 to ${maximum} characters`)]
  const isWeight =
    weight === undefined || (Number.isInteger(weight) && Number(weight) >= 1 && Number(weight) <= MAX_MEMBER_WEIGHT)
  return [
    ...Object.keys(member)
      .filter((name) => !FIELDS[type]?.includes(name))
      .map((name) => fault(`${path}.${name}`, `is not known: members of type ${type} have ${FIELDS[type]?.join(', ')}`)),
    ...(isWeight ? [] : [fault(`${path}.weight`, `must be a whole number from 1 to ${MAX_MEMBER_WEIGHT}`)]),
    ...(required === undefined || typeof required === 'boolean' ? [] : [fault(`${path}.required`, 'must be true or false')]),
    ...(type === 'entity'
      ? [
          ...text('server_id', MAX_ID_LENGTH),
          ...(ENTITY_KIND_NAMES.includes(member['kind'] as never)
            ? []
            : [fault(`${path}.kind`, `must be one of ${ENTITY_KIND_NAMES.join(', ')}`)]),
          ...text('name', MAX_ENTITY_NAME_LENGTH),
        ]
      : (member['id'] === undefined) === (member['tag'] === undefined)
        ? [fault(path, 'must have either id or tag')]
        : member['id'] === undefined
          ? text('tag', MAX_TAG_LENGTH)
          : text('id', MAX_ID_LENGTH)),
  ]
}

const RULES: Readonly<Record<string, { holds: (value: unknown) => boolean; message: string }>> = {
  down_at_least: {
    holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_COMPOSITE_MEMBERS,
    message: `must be a whole number of members from 1 to ${MAX_COMPOSITE_MEMBERS}`,
  },
  up_below_percent: {
    holds: (value) => typeof value === 'number' && value > 0 && value <= 100,
    message: 'must be a number above 0 and up to 100 percent',
  },
  any_required_down: { holds: (value) => value === true, message: 'must be true' },
  all_down: { holds: (value) => value === true, message: 'must be true' },
}

function ruleFaults(path: string, rule: unknown): ErrorDetail[] {
  const entries = isObject(rule) ? Object.entries(rule) : []
  const [name, value] = entries[0] ?? []
  if (entries.length !== 1 || name === undefined || !Object.hasOwn(RULES, name))
    return [fault(path, `must have exactly one of ${Object.keys(RULES).join(', ')}`)]
  return RULES[name]?.holds(value) === true ? [] : [fault(`${path}.${name}`, RULES[name]?.message ?? '')]
}
