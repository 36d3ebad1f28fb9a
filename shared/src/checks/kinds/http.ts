import { HTTP_PROTOCOLS } from '../limits.ts'
import type { CheckKindSpec } from './kind.ts'

/** Its method, headers, body, redirects and TLS are fields of the monitor itself. */
export const http = {
  label: 'HTTP',
  description: 'Sends a request over HTTP/1.1 or HTTP/2 and checks the response.',
  protocols: HTTP_PROTOCOLS,
  example: 'https://shop.example.com/health',
  options: {},
  credentials: {},
  observes: ['status', 'headers', 'text', 'certificate'],
  facts: {},
} as const satisfies CheckKindSpec
