import { type ApiError, invalid } from '../../../platform/errors.ts'
import { lineOf, urlOf } from './texts.ts'
import {
  alertOf,
  bodyOf,
  createFormat,
  fieldsOf,
  firstText,
  instantMsOf,
  isFields,
  keyOfParts,
  labelsOf,
  linesOf,
  listOf,
  requiredText,
  requiredWord,
  textOf,
} from './fields.ts'
import type { ReceivedRequest } from './format.ts'

const STATUS = { trigger: 'firing', acknowledge: 'acknowledged', resolve: 'resolved' } as const
const ACTIONS = ['trigger', 'acknowledge', 'resolve'] as const
/** Fields of `payload` that say what an event is about. */
const SUBJECTS = ['source', 'component', 'group', 'class'] as const
const MAX_LINKS = 20
/** Of an annotation. */
const MAX_CHANGE_TEXT = 1_000

/** Events API v2 of PagerDuty: the body of `/v2/enqueue`. Images are neither fetched nor shown. */
export const pagerduty = createFormat((body) => {
  const action = requiredWord(body, 'event_action', ACTIONS)
  const payload = fieldsOf(body['payload'])
  const isTrigger = action === 'trigger'
  const summary = isTrigger ? requiredText(payload, 'summary', 'payload.summary') : firstText(payload['summary'])
  const key = dedupKeyOf(body)
  const alert = alertOf({
    key,
    status: STATUS[action],
    title: summary ?? key,
    severity: firstText(payload['severity']),
    labels: {
      ...Object.fromEntries(SUBJECTS.map((name) => [name, textOf(payload[name])])),
      ...(isFields(payload['custom_details']) ? labelsOf(payload['custom_details']) : {}),
    },
    text: linesOf(
      textOf(payload['custom_details']),
      ...listOf(body['links'])
        .slice(0, MAX_LINKS)
        .map((link) => [textOf(fieldsOf(link)['text']), textOf(fieldsOf(link)['href'])].filter(Boolean).join(': ')),
    ),
    url: firstText(fieldsOf(listOf(body['links'])[0])['href'], body['client_url']),
    startsAtMs: isTrigger ? instantMsOf(payload['timestamp']) : null,
    by: isTrigger ? null : firstText(body['client']),
  })
  return { alerts: [alert] }
})

/**
 * The `dedup_key` of an event. A trigger may have none: the same summary about the same subject then has the same key, so that a sender
 * that repeats it opens no second incident. Throws validation_error where another action has none.
 */
export function dedupKeyOf(event: unknown): string {
  const body = bodyOf(event)
  const sent = firstText(body['dedup_key'])
  if (sent !== null) return sent
  if (requiredWord(body, 'event_action', ACTIONS) !== 'trigger')
    throw invalid({ path: 'dedup_key', message: 'must be the key of the event that is acknowledged or resolved' })
  const payload = fieldsOf(body['payload'])
  return keyOfParts(textOf(payload['summary']), ...SUBJECTS.map((name) => textOf(payload[name])))
}

export interface ReceivedChange {
  /** When it happened; null: now. */
  atMs: number | null
  text: string
  url: string | null
}

/** A change event, the body of `/v2/change/enqueue`. Throws validation_error for one without `payload.summary`. */
export function readPagerDutyChange({ body }: Pick<ReceivedRequest, 'body'>): ReceivedChange {
  const fields = bodyOf(body)
  const payload = fieldsOf(fields['payload'])
  const summary = requiredText(payload, 'summary', 'payload.summary')
  const text = [firstText(payload['source']), summary].filter((part) => part !== null).join(': ')
  return {
    atMs: instantMsOf(payload['timestamp']),
    text: lineOf(text, MAX_CHANGE_TEXT) || 'Change',
    url: urlOf(firstText(fieldsOf(listOf(fields['links'])[0])['href'])),
  }
}

/** The answers of PagerDuty, with their status. */
export const pagerDutyAnswers = {
  accepted: (dedupKey: string) => ({
    status: 202,
    body: { status: 'success', message: 'Event processed', dedup_key: dedupKey },
  }),
  changeAccepted: () => ({ status: 202, body: { status: 'success', message: 'Change event processed' } }),
  refused: ({ message, details = [] }: Pick<ApiError, 'message' | 'details'>) => ({
    status: 400,
    body: {
      status: 'invalid event',
      message: 'Event object is invalid',
      errors: details.length === 0 ? [message] : details.map((detail) => `'${detail.path}' ${detail.message}`),
    },
  }),
}
