import { controlFaults, LOGIN, MEDIA_FACTS, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export const rtsp = {
  label: 'RTSP',
  description: 'Queries a camera or a streaming server with OPTIONS or DESCRIBE.',
  protocols: ['rtsp:', 'rtsps:'],
  example: 'rtsp://camera.example.com/stream1',
  network: OVER_TLS,
  options: {
    method: {
      label: 'Request',
      hint: 'DESCRIBE also needs the stream to be there',
      form: 'choice',
      choices: ['OPTIONS', 'DESCRIBE'],
      default: 'OPTIONS',
    },
    verify_tls: VERIFY_TLS,
  },
  credentials: LOGIN,
  observes: ['status', 'headers', 'text', 'certificate'],
  facts: {
    ...MEDIA_FACTS,
    media: {
      label: 'Media',
      operators: ['contains', 'not_contains', 'equals', 'not_equals', 'exists', 'not_exists'],
      valueKinds: ['string'],
    },
  },
  faults: ({ url, credentials }) => [
    ...(url.hash === '' && (url.pathname !== '' || url.search === '')
      ? []
      : [{ path: 'url', message: 'must have nothing after its path and query' }]),
    ...controlFaults(credentials),
    ...((credentials['username'] ?? '') === '' && (credentials['password'] ?? '') !== ''
      ? [{ path: 'credentials.username', message: 'is needed: a login has a user name and a password' }]
      : []),
  ],
} as const satisfies CheckKindSpec
