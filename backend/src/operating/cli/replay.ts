import { readFileSync } from 'node:fs'
import * as shared from '@vedette/shared'
import { DAY_MS, oneLine, type ReplayBody, type ReplaySetResult, toTimestamp } from '@vedette/shared'
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/schema'
import { runReplay } from '../../alerting/replays/index.ts'
import { ApiError } from '../../platform/errors.ts'
import { requireOption, type Task } from './command.ts'
import { readPool, readSettings } from './database.ts'
import { findOrganization } from './find-organization.ts'

const DEFAULT_DAYS = 30

export const replay: Task = {
  name: 'replay',
  summary: 'show who would have been notified of what happened, also with other rules',
  options: {
    organization: { type: 'string', value: 'org_…', help: 'default: the only one' },
    from: {
      type: 'string',
      value: 'INSTANT',
      help: `start, as 2026-11-20T18:00:00Z (default: ${DEFAULT_DAYS} days before --to)`,
    },
    to: { type: 'string', value: 'INSTANT', help: 'end (default: now)' },
    sets: { type: 'string', value: 'FILE', help: 'JSON: one or two sets of changes, as in POST /v1/replays (default: none)' },
  },
  run: (call, context) => {
    const nowMs = context.clock.now()
    const { organization, from, to = toTimestamp(nowMs) } = call.options as Record<string, string | undefined>
    const start = from ?? toTimestamp(Date.parse(to) - DEFAULT_DAYS * DAY_MS)
    const sets: unknown = call.options['sets'] === undefined ? [{}] : readSets(requireOption(call, 'sets'))
    const body = requireBody({ from: start, to, sets })
    return readPool(context, async (pool) => {
      const { number, id } = await findOrganization(pool.db, organization)
      const { pushIntervalSeconds } = readSettings(context)
      const deps = { db: pool.db, clock: context.clock, reader: <T>(read: (from: typeof pool) => Promise<T>) => read(pool) }
      const result = await runReplay({ ...deps, pushIntervalSeconds }, { number, id }, body).catch(toPlainError)
      const lines = result.sets.flatMap((set, index) => summaryOf(set, index))
      const difference = result.only_in.map(
        ({ notifications }, index) => `only ${nameOf(result.sets[index], index)}: ${notifications} notifications`,
      )
      return { json: { ...result }, text: [`${result.from} to ${result.to}`, ...lines, ...difference].join('\n') }
    })
  },
}

function readSets(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** The schemas by the text with which others refer to them. */
const NAMED = Object.fromEntries(
  Object.values<unknown>(shared).flatMap((value): [string, TSchema][] =>
    typeof value === 'object' && value !== null && '$id' in value ? [[`${String(value.$id)}#`, value as TSchema]] : [],
  ),
)

function requireBody(body: object): ReplayBody {
  const [, [fault]] = Errors(NAMED, { $ref: 'ReplayBody#' }, body)
  if (fault) throw new Error(`${fault.instancePath.slice(1).replaceAll('/', '.')}: ${fault.message}`)
  return body as ReplayBody
}

/** What the API answers with details, as one line. */
function toPlainError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  throw new Error((error.details ?? []).map(({ path, message }) => `${path}: ${message}`).join('; ') || error.message)
}

const nameOf = (set: ReplaySetResult | undefined, index: number): string => oneLine(set?.name ?? `set ${index + 1}`)

function summaryOf(set: ReplaySetResult, index: number): string[] {
  const { incidents, never_notified: never, notifications, at_night: night, held, longest_held_seconds: longest } = set
  const waited = held === 0 ? 'none waited' : `${held} waited, at most ${Math.round(longest / 60)} min`
  return [
    `${nameOf(set, index)}: ${incidents} incidents (${never} never notified), ${notifications} notifications, ${night} at night, ${waited}`,
    ...set.people.map((one) => `  ${one.email}: ${one.notifications}, ${one.at_night} at night, ${one.held} waited`),
    ...set.channels.map((one) => `  ${oneLine(one.name)} (${one.type}): ${one.notifications}`),
    ...set.not_replayed.map((one) => `  not replayed: ${oneLine(one.alert_rule_name)}: ${one.reason}`),
  ]
}
