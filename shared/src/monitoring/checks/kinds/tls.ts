import { pathFaults, VERIFY_TLS } from './common.ts'
import { MAIL_PORTS } from '../limits.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

const TEXT = ['equals', 'not_equals', 'contains', 'not_contains'] as const

export const tls = {
  label: 'TLS',
  description: 'Does a TLS handshake, also after STARTTLS, and checks certificate and protocol.',
  protocols: ['tls:'],
  example: 'tls://imap.example.com:993',
  network: OVER_TLS,
  options: {
    starttls: {
      label: 'STARTTLS',
      hint: 'how the connection changes from plain text to TLS',
      form: 'choice',
      choices: ['none', 'smtp', 'imap', 'pop3', 'ldap', 'postgres', 'mysql'],
      default: 'none',
    },
    server_name: {
      label: 'Server name',
      hint: 'sent to the server and expected in the certificate; the host of the URL without it',
      form: 'text',
      maxLength: 253,
      default: '',
    },
    verify_tls: VERIFY_TLS,
  },
  credentials: {},
  observes: ['certificate'],
  facts: {
    tls_protocol: { label: 'TLS version', operators: TEXT, valueKinds: ['string'], initialValue: 'TLSv1.3' },
    cipher: { label: 'Cipher', operators: TEXT, valueKinds: ['string'] },
    alpn: { label: 'ALPN protocol', operators: TEXT, valueKinds: ['string'], initialValue: 'h2' },
    chain_length: {
      label: 'Certificates in the chain',
      operators: ['greater_than', 'less_than', 'equals'],
      valueKinds: ['number'],
      bounds: { minimum: 0, maximum: 20, isWhole: true },
    },
  },
  faults: ({ url, options }) => [
    ...pathFaults(url),
    ...(/^[\w.-]*$/.test(String(options['server_name']))
      ? []
      : [{ path: 'options.server_name', message: 'must be a host name' }]),
    ...(options['starttls'] === 'smtp' && url.port === ''
      ? [
          {
            path: 'options.starttls',
            message: `smtp needs a port in the URL other than ${[...MAIL_PORTS].join(', ')}: these are open to checks of type smtp alone, which report the certificate too`,
          },
        ]
      : []),
  ],
} as const satisfies CheckKindSpec
