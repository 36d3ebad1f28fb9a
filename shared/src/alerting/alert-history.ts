import { type Static, Type } from 'typebox'
import {
  ALERT_HISTORY_DAYS,
  MAX_ALERT_LABEL_BYTES,
  MAX_ALERT_LABELS,
  MAX_HISTORY_ALERTS,
  MAX_HISTORY_COMMENTS,
  MAX_SEVERITY_WORD_LENGTH,
} from './alert-source-types.ts'
import { MAX_COMMENT_LENGTH } from '../wire/limits.ts'
import { InstantText, Nullable, Ref } from '../wire/wire.ts'

const By = (what: string) =>
  Type.Optional(
    Nullable(
      Type.String({
        maxLength: 200,
        description: `who ${what}: an e-mail of a member is that person`,
        examples: ['ada@example.com'],
      }),
    ),
  )

export const EndedAlertComment = Type.Object(
  {
    at: InstantText('ISO 8601, not before `opened_at`'),
    text: Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH, examples: ['The log was full'] }),
    by: By('wrote it'),
  },
  { $id: 'EndedAlertComment', description: 'What somebody wrote about an alert', additionalProperties: false },
)

export const EndedAlert = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'of this alert there; what has the same `id` and `opened_at` is added to a source once',
      examples: ['70413a06-38d6-4c85-92b8-5ebc900d42e2'],
    }),
    key: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'what makes it the same alert when it comes back, as its sender sends it: an alias, a `dedup_key`',
      examples: ['db-1/disk'],
    }),
    title: Type.String({ minLength: 1, maxLength: 500, examples: ['Disk of db-1 is full'] }),
    text: Type.Optional(Nullable(Type.String({ maxLength: 4_096 }))),
    severity: Type.Optional(
      Nullable(
        Type.String({
          maxLength: MAX_SEVERITY_WORD_LENGTH,
          description: 'a word of the sender, as in its alerts; null: the default of the source',
          examples: ['P1'],
        }),
      ),
    ),
    labels: Type.Optional(
      Type.Record(
        Type.String({ pattern: `^.{1,${MAX_ALERT_LABEL_BYTES}}$` }),
        Type.String({ maxLength: MAX_ALERT_LABEL_BYTES, description: 'the value of a label' }),
        { maxProperties: MAX_ALERT_LABELS, examples: [{ team: 'shop' }] },
      ),
    ),
    url: Type.Optional(Nullable(Type.String({ maxLength: 2_048, description: 'a page about it, http or https' }))),
    opened_at: InstantText(`ISO 8601, at most ${ALERT_HISTORY_DAYS} days ago`, '2026-11-20T18:00:00.000Z'),
    acknowledged_at: Type.Optional(Nullable(InstantText('ISO 8601, not before `opened_at`; null: nobody did'))),
    acknowledged_by: By('acknowledged it'),
    resolved_at: InstantText('ISO 8601, not before `opened_at` and not in the future', '2026-11-20T18:30:00.000Z'),
    resolved_by: By('closed it'),
    comments: Type.Optional(Type.Array(Ref(EndedAlertComment), { maxItems: MAX_HISTORY_COMMENTS, examples: [[]] })),
  },
  { $id: 'EndedAlert', description: 'An alert of another tool that is over', additionalProperties: false },
)
export type EndedAlert = Static<typeof EndedAlert>

export const AddAlertHistoryBody = Type.Object(
  { alerts: Type.Array(Ref(EndedAlert), { minItems: 1, maxItems: MAX_HISTORY_ALERTS }) },
  { $id: 'AddAlertHistoryBody', description: 'Alerts of another tool that are over', additionalProperties: false },
)
export type AddAlertHistoryBody = Static<typeof AddAlertHistoryBody>

export const AlertHistoryAnswer = Type.Object(
  {
    added: Type.Integer({ minimum: 0, description: 'that became resolved incidents', examples: [12] }),
    present: Type.Integer({
      minimum: 0,
      description:
        'that were added before, or that this source received itself: an incident of the same `key` was open at the time',
      examples: [0],
    }),
  },
  { $id: 'AlertHistoryAnswer', description: 'What became of ended alerts' },
)
export type AlertHistoryAnswer = Static<typeof AlertHistoryAnswer>
