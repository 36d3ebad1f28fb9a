import { invalid } from '../../../platform/errors.ts'
import {
  alertOf,
  createFormat,
  type Fields,
  fieldsOf,
  firstText,
  instantMsOf,
  isFields,
  keyOfParts,
  linesOf,
  listOf,
  parseJson,
  requiredText,
  requiredWord,
  textOf,
} from './fields.ts'
import type { ReceivedAlert } from './format.ts'

/** Without data nothing is known: what is open stays open. */
const STATUS = { ALARM: 'firing', OK: 'resolved', INSUFFICIENT_DATA: 'commented' } as const
const STATES = ['ALARM', 'OK', 'INSUFFICIENT_DATA'] as const
export const SNS_TYPES = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const

/**
 * A message of Amazon SNS whose signature is verified: an alarm of CloudWatch, or any other text, which nothing ends. The confirmations
 * are no alerts.
 */
export const sns = createFormat((body) => {
  const type = requiredWord(body, 'Type', SNS_TYPES)
  if (type !== 'Notification') return { alerts: [], faults: [`a ${type}, which a person has to act on: no alert`] }
  const message = requiredText(body, 'Message')
  const alarm = parseAlarm(message)
  return { alerts: [alarm ? readAlarm(alarm) : readText(body, message)] }
})

function parseAlarm(message: string): Fields | undefined {
  const parsed = message.startsWith('{') ? parseJson(message) : undefined
  return isFields(parsed) && parsed['AlarmName'] !== undefined ? parsed : undefined
}

function readAlarm(alarm: Fields): ReceivedAlert {
  const name = firstText(alarm['AlarmName'])
  if (name === null) throw invalid({ path: 'Message.AlarmName', message: 'must be a text that is not empty' })
  const state = requiredWord(alarm, 'NewStateValue', STATES)
  const trigger = fieldsOf(alarm['Trigger'])
  const status = STATUS[state]
  const dimensions = listOf(trigger['Dimensions'])
    .slice(0, 30)
    .map((dimension): [string, string] => [textOf(fieldsOf(dimension)['name']), textOf(fieldsOf(dimension)['value'])])
  return alertOf({
    // Alarms of older messages have no ARN; a name is unique in an account and region.
    key: firstText(alarm['AlarmArn']) ?? [textOf(alarm['AWSAccountId']), textOf(alarm['Region']), name].join(':'),
    status,
    title: name,
    labels: {
      ...Object.fromEntries(dimensions),
      alarm: name,
      account: textOf(alarm['AWSAccountId']),
      region: textOf(alarm['Region']),
      namespace: textOf(trigger['Namespace']),
      metric: textOf(trigger['MetricName']),
    },
    text: linesOf(alarm['AlarmDescription'], alarm['NewStateReason']),
    url: consoleUrlOf(textOf(alarm['AlarmArn']), name),
    startsAtMs: status === 'firing' ? instantMsOf(alarm['StateChangeTime']) : null,
  })
}

/** The page of the alarm in the console, by the region of its ARN. */
function consoleUrlOf(arn: string, name: string): string | null {
  const region = /^arn:aws:cloudwatch:([a-z0-9-]{1,40}):/.exec(arn.slice(0, 200))?.[1]
  if (region === undefined || name.length > 255) return null
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(name.toWellFormed())}`
}

function readText(body: Fields, message: string): ReceivedAlert {
  const title = firstText(body['Subject']) ?? message.slice(0, 1_000).trim().split('\n', 1)[0] ?? ''
  const topic = textOf(body['TopicArn'])
  return alertOf({
    key: keyOfParts(topic, title),
    status: 'firing',
    title,
    labels: { topic },
    text: message,
    startsAtMs: instantMsOf(body['Timestamp']),
  })
}
