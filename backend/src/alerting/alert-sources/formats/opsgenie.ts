import { MAX_ALERT_LABEL_BYTES, MAX_ALERT_LABELS } from '@vedette/shared'
import { type ApiError, invalid } from '../../../platform/errors.ts'
import {
  alertOf,
  bodyOf,
  createFormat,
  type Fields,
  fieldsOf,
  firstText,
  keyOfParts,
  labelsOf,
  listOf,
  requiredText,
  requiredWord,
  textOf,
} from './fields.ts'
import type { ReceivedAlert, ReceivedRequest } from './format.ts'

const STATUS = {
  close: 'resolved',
  acknowledge: 'acknowledged',
  unacknowledge: 'commented',
  notes: 'commented',
} as const
const IDENTIFIER_TYPES = ['id', 'alias', 'tiny'] as const
const PRIORITIES = ['P1', 'P2', 'P3', 'P4', 'P5'] as const

export type OpsgenieAction = keyof typeof STATUS

/** Alert API v2 of Opsgenie: the body of `POST /v2/alerts`. */
export const opsgenie = createFormat((body) => {
  const message = requiredText(body, 'message')
  const alert = alertOf({
    key: aliasOf(body),
    status: 'firing',
    title: message,
    // P3 is what Opsgenie takes for an alert without one.
    severity: body['priority'] === undefined ? 'P3' : requiredWord(body, 'priority', PRIORITIES),
    labels: { ...labelsOf(fieldsOf(body['details'])), ...labelsOfTags(listOf(body['tags'])), ...subjectsOf(body) },
    text: [firstText(body['description']), firstText(body['note'])].filter((text) => text !== null).join('\n\n'),
    by: firstText(body['user']),
  })
  return { alerts: [alert] }
})

/**
 * The alias of an alert that is created. Without one the same message about the same entity has the same alias, so that a sender that
 * repeats it opens no second incident.
 */
function aliasOf(body: Fields): string {
  return firstText(body['alias']) ?? keyOfParts(textOf(body['message']), textOf(body['entity']), textOf(body['source']))
}

const subjectsOf = (body: Fields): Record<string, string> => ({
  entity: textOf(body['entity']),
  source: textOf(body['source']),
})

/** `env:prod` is a label of its own; what has no colon is listed in `tags`. */
function labelsOfTags(tags: readonly unknown[]): Record<string, string> {
  const texts = tags.slice(0, 2 * MAX_ALERT_LABELS).map((tag) => textOf(tag).slice(0, 2 * MAX_ALERT_LABEL_BYTES))
  const isPair = (text: string) => /^[^:]+:./.test(text)
  const pairs = texts.filter(isPair).map((text): [string, string] => {
    const colon = text.indexOf(':')
    return [text.slice(0, colon), text.slice(colon + 1)]
  })
  return Object.fromEntries([...pairs, ['tags', texts.filter((text) => !isPair(text)).join(', ')]])
}

interface NamedAlert {
  /** As the path names the alert, decoded. */
  identifier: string
  /** Query `identifierType`; default `id`. An alert has its alias as id and as tiny id too. */
  identifierType?: string | undefined
}

/** `POST /v2/alerts/:identifier/{close,acknowledge,unacknowledge,notes}`; the body may be absent. */
export function readOpsgenieAction(
  action: OpsgenieAction,
  named: NamedAlert,
  { body }: Pick<ReceivedRequest, 'body'>,
): ReceivedAlert {
  const { identifier, identifierType = 'id' } = named
  requiredWord({ identifierType }, 'identifierType', IDENTIFIER_TYPES)
  const key = requiredText({ identifier }, 'identifier')
  const fields = body === undefined || body === null ? {} : bodyOf(body)
  const note = action === 'notes' ? requiredText(fields, 'note') : firstText(fields['note'])
  const text = action === 'unacknowledge' ? ['No longer acknowledged', note].filter((part) => part !== null).join(': ') : note
  return alertOf({ key, status: STATUS[action], title: key, text, by: firstText(fields['user'], fields['source']) })
}

interface Timing {
  requestId: string
  tookMs: number
}

/** The answers of Opsgenie, with their status. */
export const opsgenieAnswers = {
  accepted: (timing: Timing) => ({ status: 202, body: { result: 'Request will be processed', ...wireOf(timing) } }),
  pong: (timing: Timing) => ({ status: 202, body: { result: 'PONG - Heartbeat received', ...wireOf(timing) } }),
  /** `GET /v2/alerts/requests/:requestId`: senders read there the id of what they created. */
  processed: (alias: string, timing: Timing) => ({
    status: 200,
    body: { data: { success: true, isSuccess: true, status: 'Processed', alertId: alias, alias }, ...wireOf(timing) },
  }),
  refused: ({ message, details = [] }: Pick<ApiError, 'message' | 'details'>, timing: Timing) => ({
    status: 422,
    body: {
      message: details.length === 0 ? message : 'Request body is not processable. Please check the errors.',
      errors: Object.fromEntries(details.map((detail) => [detail.path || 'body', detail.message])),
      ...wireOf(timing),
    },
  }),
}

const wireOf = ({ requestId, tookMs }: Timing) => ({ took: tookMs / 1000, requestId })

/** The name in `/v2/heartbeats/:name/ping`. Throws validation_error for one that Opsgenie would not take. */
export function heartbeatNameOf(name: string): string {
  if (name.trim() === '' || name.length > 200) throw invalid({ path: 'name', message: 'must have 1 to 200 characters' })
  return name
}
