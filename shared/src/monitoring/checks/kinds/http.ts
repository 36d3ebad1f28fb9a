import { originOf } from '../../../wire/kept-secrets.ts'
import { HTTP_PROTOCOLS } from '../limits.ts'
import { BEARER_TOKEN } from './common.ts'
import { faultsOfClientCertificate, faultsOfToken } from './http-credentials.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_HTTP } from '../network-use.ts'

const PEM_LENGTH = 16_384

/** Its method, headers, body, redirects and TLS are fields of the monitor itself. */
export const http = {
  label: 'HTTP',
  description: 'Sends a request over HTTP/1.1 or HTTP/2 and checks the response.',
  protocols: HTTP_PROTOCOLS,
  example: 'https://shop.example.com/health',
  network: OVER_HTTP,
  options: {
    oauth2_token_url: {
      label: 'OAuth 2 token endpoint',
      hint: 'client credentials (RFC 6749)',
      form: 'text',
      maxLength: 2_048,
    },
    oauth2_client_id: { label: 'OAuth 2 client id', form: 'text', maxLength: 512 },
    oauth2_scope: { label: 'OAuth 2 scope', form: 'text', maxLength: 1_024 },
  },
  credentials: {
    bearer_token: BEARER_TOKEN,
    oauth2_client_secret: {
      label: 'OAuth 2 client secret',
      maxLength: 1_024,
      // The token that it gets goes to the URL.
      sentTo: ({ url, options: { oauth2_token_url: token } }) =>
        [url, ...(typeof token === 'string' ? [token] : [])].map(originOf),
    },
    client_certificate: { label: 'Client certificate', hint: 'PEM, for mutual TLS', maxLength: PEM_LENGTH, isLong: true },
    client_key: {
      label: 'Key of the client certificate',
      hint: 'PEM, without a passphrase',
      maxLength: PEM_LENGTH,
      isLong: true,
    },
  },
  observes: ['status', 'headers', 'text', 'certificate', 'url'],
  facts: {},
  faults: (definition) => [...faultsOfToken(definition), ...faultsOfClientCertificate(definition)],
} as const satisfies CheckKindSpec
