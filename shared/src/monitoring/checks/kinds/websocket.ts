import { BEARER_TOKEN, controlFaults, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export const websocket = {
  label: 'WebSocket',
  description: 'Opens a WebSocket and waits for a pong, or for a message.',
  protocols: ['ws:', 'wss:'],
  example: 'wss://shop.example.com/live',
  network: OVER_TLS,
  options: {
    verify_tls: VERIFY_TLS,
    send: { label: 'Send', hint: 'A text message', form: 'text', maxLength: 4_096, default: '', isLong: true, sent: true },
    expect: { label: 'Expect', hint: 'A message must contain this text', form: 'text', maxLength: 1_024, default: '' },
    subprotocol: { label: 'Subprotocol', hint: 'Must be accepted by the server', form: 'text', maxLength: 100, default: '' },
  },
  credentials: { bearer_token: BEARER_TOKEN },
  observes: ['certificate', 'text'],
  facts: {},
  faults: ({ options, credentials }) => [
    ...controlFaults(credentials),
    ...(/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/.test(String(options['subprotocol']))
      ? []
      : [{ path: 'options.subprotocol', message: 'must be one name of letters, digits, dots and dashes' }]),
  ],
} as const satisfies CheckKindSpec
