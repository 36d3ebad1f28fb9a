import {
  DAY_MS,
  type ErrorDetail,
  MAX_LAYER_AGE_YEARS,
  type PatchScheduleBody,
  type ScheduleLayerBody,
  type ScheduleOverrideBody,
} from '@vedette/shared'
import { invalid } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { instantAt, instantFaults, parseInstant } from '../../platform/time/instant.ts'
import type { StoredRota } from './store.ts'
import { turnFault } from './turns.ts'

interface NamedPerson {
  path: string
  /** Undefined: not an id. */
  userId: string | undefined
}

/** The people whom a body names, with the paths where it does. */
export function peopleIn({ layers = [], overrides = [] }: PatchScheduleBody): NamedPerson[] {
  return [
    ...layers.flatMap(({ user_ids: turns }, layer) =>
      turns.flatMap((turn, index) => {
        const path = `layers.${layer}.user_ids.${index}`
        if (typeof turn === 'string') return { path, userId: parseId('user', turn) }
        return turn.map((text, place) => ({ path: `${path}.${place}`, userId: parseId('user', text) }))
      }),
    ),
    ...overrides.map(({ user_id: text }, index) => ({ path: `overrides.${index}.user_id`, userId: parseId('user', text) })),
  ]
}

/** What the schema cannot validate; rules to repeat are left out without a time zone. Pure. */
export function rotaFaults({ layers = [], overrides = [] }: PatchScheduleBody, timeZone: string | undefined): ErrorDetail[] {
  return [
    ...layers.flatMap((layer, index) => layerFaults(layer, `layers.${index}`, timeZone)),
    ...overrides.flatMap((one, index) => overrideFaults(one, `overrides.${index}`)),
  ]
}

function layerFaults(
  { starts_at: from, ends_at: to = null, repeat = null }: ScheduleLayerBody,
  path: string,
  timeZone: string | undefined,
): ErrorDetail[] {
  const times = orderFaults(path, from, to)
  const startsAtMs = parseInstant(from)
  if (startsAtMs === undefined || repeat === null || timeZone === undefined) return times
  const fault = turnFault(repeat, startsAtMs, timeZone)
  return fault === undefined ? times : [...times, { path: `${path}.repeat`, message: fault }]
}

const overrideFaults = ({ starts_at: from, ends_at: to }: ScheduleOverrideBody, path: string): ErrorDetail[] =>
  orderFaults(path, from, to)

/** `to` null: without an end. */
function orderFaults(path: string, from: string, to: string | null): ErrorDetail[] {
  const [fromMs, toMs] = [parseInstant(from), to === null ? undefined : parseInstant(to)]
  const isOrdered = fromMs === undefined || toMs === undefined || fromMs < toMs
  return [
    ...instantFaults(`${path}.starts_at`, from),
    ...(to === null ? [] : instantFaults(`${path}.ends_at`, to)),
    ...(isOrdered ? [] : [{ path: `${path}.ends_at`, message: 'must be after starts_at' }]),
  ]
}

/** The stored form of what a body names; the rest is as before. Its people are members. Throws validation_error. */
export function readRota(body: PatchScheduleBody, before: StoredRota, timeZone: string, nowMs: number): StoredRota {
  const faults = rotaFaults(body, timeZone)
  if (faults.length > 0) throw invalid(...faults)
  const { layers, overrides } = body
  return {
    ...before,
    layers: layers?.map((layer, index) => readLayer(layer, `layers.${index}`, nowMs)) ?? before.layers,
    overrides: overrides?.map(readOverride) ?? before.overrides,
  }
}

function readLayer({ repeat = null, restrictions = [], ...layer }: ScheduleLayerBody, path: string, nowMs: number) {
  const startsAtMs = instantAt(`${path}.starts_at`, layer.starts_at).getTime()
  if (startsAtMs < nowMs - MAX_LAYER_AGE_YEARS * 365.25 * DAY_MS)
    throw invalid({ path: `${path}.starts_at`, message: `must be at most ${MAX_LAYER_AGE_YEARS} years ago` })
  const toUser = (text: string) => parseId('user', text) as string
  return {
    user_ids: layer.user_ids.map((turn) => (typeof turn === 'string' ? toUser(turn) : turn.map(toUser))),
    starts_at: startsAtMs,
    ...(typeof layer.ends_at === 'string' && { ends_at: parseInstant(layer.ends_at) as number }),
    repeat,
    restrictions,
  }
}

function readOverride({ user_id: userId, ...times }: ScheduleOverrideBody) {
  const [startsAt, endsAt] = [parseInstant(times.starts_at) as number, parseInstant(times.ends_at) as number]
  return { user_id: parseId('user', userId) as string, starts_at: startsAt, ends_at: endsAt }
}

/** Throws validation_error that names each person who is not a member. */
export function requireMembers(people: readonly NamedPerson[], isMember: (userId: string) => boolean): void {
  const faults: ErrorDetail[] = people
    .filter(({ userId }) => userId === undefined || !isMember(userId))
    .map(({ path }) => ({ path, message: 'is not a member of this organization' }))
  if (faults.length > 0) throw invalid(...faults)
}
