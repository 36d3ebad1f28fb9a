import { DAY_MS, MAX_ALERT_LABEL_BYTES, MAX_WINDOW_DAYS, toTimestamp } from '@vedette/shared'
import type { Matcher } from '../../../../querying/promql/index.ts'
import { listsWords } from '../../../../querying/promql/index.ts'
import { invalid } from '../../../../platform/errors.ts'
import { parseInstant } from '../../../../platform/time/instant.ts'
import type { SilenceColumns, SilenceRow } from '../../../alerts/index.ts'
import { lineOf } from '../../alert.ts'
import { bodyOf, fieldsOf, listOf, textOf } from '../../formats/fields.ts'

export const MAX_MATCHERS = 64
const MAX_VALUE_LENGTH = 4_096
const MAX_CREATOR_BYTES = 200
const MAX_COMMENT_BYTES = 1_000

const refused = (path: string, message: string) => invalid({ path, message })

/** The silence of a body. Throws validation_error that names the field. Pure. */
export function readSilence(sent: unknown, nowMs: number): { id: string | undefined; columns: SilenceColumns } {
  const body = bodyOf(sent)
  const matchers = listOf(body['matchers'])
  if (matchers.length < 1 || matchers.length > MAX_MATCHERS) throw refused('matchers', `must be 1 to ${MAX_MATCHERS} matchers`)
  const read = matchers.map((matcher, index) => readMatcher(matcher, `matchers.${index}`))
  if (read.every(({ value }) => value === '')) throw refused('matchers', 'must have one that does not match an absent label')
  // What has begun begins now: nothing is silenced in the past.
  const startsMs = Math.max(instantOf(body, 'startsAt'), nowMs)
  const endsMs = instantOf(body, 'endsAt')
  if (endsMs <= startsMs) throw refused('endsAt', 'must be after startsAt and in the future')
  if (endsMs - startsMs > MAX_WINDOW_DAYS * DAY_MS)
    throw refused('endsAt', `must be at most ${MAX_WINDOW_DAYS} days after startsAt`)
  const [createdBy, comment] = [
    lineOf(textOf(body['createdBy']), MAX_CREATOR_BYTES),
    lineOf(textOf(body['comment']), MAX_COMMENT_BYTES),
  ]
  if (createdBy === '') throw refused('createdBy', 'must be a text that is not empty')
  const silence = { matchers: read, created_by: createdBy, comment }
  return {
    id: textOf(body['id']) || undefined,
    columns: { silence, starts_at: new Date(startsMs), ends_at: new Date(endsMs) },
  }
}

function readMatcher(sent: unknown, path: string) {
  const { name, value, isRegex, isEqual } = fieldsOf(sent)
  if (typeof name !== 'string' || name === '' || Buffer.byteLength(name) > MAX_ALERT_LABEL_BYTES)
    throw refused(`${path}.name`, `must be the name of a label, up to ${MAX_ALERT_LABEL_BYTES} bytes`)
  if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH)
    throw refused(`${path}.value`, `must be a text of up to ${MAX_VALUE_LENGTH} characters`)
  if (isEqual === false) throw refused(`${path}.isEqual`, 'must be true: silences match by = and =~ alone, not by != and !~')
  if (isRegex === true && !listsWords(value))
    throw refused(
      `${path}.value`,
      'must list words, as a|b, with a backslash before other signs: other regular expressions are not taken',
    )
  return { name, value, is_regex: isRegex === true }
}

function instantOf(body: Readonly<Record<string, unknown>>, name: string): number {
  const ms = parseInstant(body[name])
  if (ms === undefined) throw refused(name, 'must be an instant, as 2026-11-20T18:00:00.000Z')
  return ms
}

/** As Alertmanager lists it. Pure. */
export function toGettableSilence(
  { id, silence, starts_at: startsAt, ends_at: endsAt, updated_at: updatedAt }: SilenceRow,
  nowMs: number,
) {
  return {
    id,
    status: { state: stateOf(startsAt.getTime(), endsAt.getTime(), nowMs) },
    updatedAt: toTimestamp(updatedAt.getTime()),
    comment: silence.comment,
    createdBy: silence.created_by,
    endsAt: toTimestamp(endsAt.getTime()),
    matchers: silence.matchers.map(({ name, value, is_regex: isRegex }) => ({ isEqual: true, isRegex, name, value })),
    startsAt: toTimestamp(startsAt.getTime()),
  }
}

export const stateOf = (startsMs: number, endsMs: number, nowMs: number): 'expired' | 'active' | 'pending' =>
  endsMs <= nowMs ? 'expired' : startsMs <= nowMs ? 'active' : 'pending'

/** Whether a silence has each of these matchers, as `amtool silence query alertname=foo` asks. Pure. */
export const hasMatchers = ({ silence }: Pick<SilenceRow, 'silence'>, wanted: readonly Matcher[]): boolean =>
  wanted.every(({ label, op, value }) =>
    silence.matchers.some((one) => one.name === label && one.value === value && (one.is_regex ? '=~' : '=') === op),
  )
