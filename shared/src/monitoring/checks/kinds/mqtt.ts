import type { ErrorDetail } from '../../../wire/errors.ts'
import { CELL, controlFaults, decodedPath, endOfPathFaults, LOGIN, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

const TEXT = ['equals', 'not_equals', 'contains', 'not_contains'] as const

export const mqtt = {
  label: 'MQTT',
  description: 'Connects to an MQTT broker, and waits for a message of a topic if the URL names one.',
  protocols: ['mqtt:', 'mqtts:'],
  example: 'mqtt://broker.example.com:1883/plant/temperature',
  network: OVER_TLS,
  options: {
    protocol_version: { label: 'Protocol version', form: 'choice', choices: ['3.1.1', '5.0'], default: '3.1.1' },
    message: {
      label: 'Message',
      hint: 'any: the first one; retained: one that the broker keeps; new: one that is published while the check waits',
      form: 'choice',
      choices: ['any', 'retained', 'new'],
      default: 'any',
    },
    client_id: {
      label: 'Client id',
      hint: 'Without it each check has one of its own; the same id at two clients makes the broker close one of them',
      form: 'text',
      maxLength: 128,
      default: '',
    },
    verify_tls: VERIFY_TLS,
  },
  credentials: LOGIN,
  observes: ['text', 'certificate'],
  facts: {
    cell: CELL,
    topic: { label: 'Topic of the message', operators: TEXT, valueKinds: ['string'] },
    retained: { label: 'Retained message', operators: ['equals'], valueKinds: ['string'], initialValue: 'true' },
  },
  faults: ({ url, options, credentials }) => [
    ...endOfPathFaults(url),
    ...topicFaults(decodedPath(url)),
    ...(/\p{Cc}/u.test(String(options['client_id']))
      ? [{ path: 'options.client_id', message: 'must not contain a line break or NUL' }]
      : []),
    // MQTT 3.1.1 has no password without a user name.
    ...((credentials['username'] ?? '') === '' && (credentials['password'] ?? '') !== ''
      ? [{ path: 'credentials.username', message: 'is needed with a password' }]
      : controlFaults(credentials)),
  ],
} as const satisfies CheckKindSpec

/** Whether a broker may take it: wildcards stand for whole levels, `#` at the end only (MQTT 5.0, 4.7.1). Pure. */
export const isTopicFilter = (topic: string): boolean =>
  !/\p{Cc}/u.test(topic) && /^(?:(?:\+|[^+#/]*)\/)*(?:\+|#|[^+#/]*)$/.test(topic)

const topicFaults = (topic: string): ErrorDetail[] =>
  isTopicFilter(topic)
    ? []
    : [
        {
          path: 'url',
          message: 'must have a topic without control characters, in which + and # stand for whole levels, # at its end only',
        },
      ]
