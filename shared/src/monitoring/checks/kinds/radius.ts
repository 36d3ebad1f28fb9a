import { LOGIN, pathFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { BY_DATAGRAMS } from '../network-use.ts'

const TEXT = ['equals', 'not_equals', 'contains', 'not_contains'] as const

export const radius = {
  label: 'RADIUS',
  description: 'Logs in by a RADIUS server, or requests its state without a user name.',
  protocols: ['radius:'],
  example: 'radius://radius.example.com:1812',
  network: BY_DATAGRAMS,
  options: {
    nas_identifier: {
      label: 'Name of the client',
      hint: 'NAS-Identifier, by which a server may choose its rules',
      form: 'text',
      maxLength: 128,
      default: 'vedette',
    },
    require_message_authenticator: {
      label: 'Require a Message-Authenticator',
      hint: 'On: a reply without one is down (RFC 3579; without it a reply can be forged, CVE-2024-3596)',
      form: 'boolean',
      default: false,
    },
  },
  credentials: {
    shared_secret: { label: 'Shared secret', hint: 'of the server and this client', maxLength: 256 },
    username: { ...LOGIN.username, maxLength: 253 },
    // Eight blocks of 16 bytes (RFC 2865, 5.2).
    password: { ...LOGIN.password, maxLength: 128 },
  },
  observes: [],
  facts: {
    reply: { label: 'Reply', operators: ['equals', 'not_equals'], valueKinds: ['string'], initialValue: 'Access-Accept' },
    reply_message: { label: 'Reply message', operators: TEXT, valueKinds: ['string'] },
  },
  faults({ url, options, credentials }) {
    const { shared_secret: secret = '', username = '', password = '' } = credentials
    const isTooLong = (text: string, bytes: number) => new TextEncoder().encode(text).length > bytes
    return [
      ...pathFaults(url),
      ...(secret === '' ? [{ path: 'credentials.shared_secret', message: 'is needed' }] : []),
      ...(username === '' && password !== '' ? [{ path: 'credentials.username', message: 'is needed with a password' }] : []),
      ...(isTooLong(username, 253) ? [{ path: 'credentials.username', message: 'must have at most 253 bytes in UTF-8' }] : []),
      ...(isTooLong(password, 128) ? [{ path: 'credentials.password', message: 'must have at most 128 bytes in UTF-8' }] : []),
      ...(password.includes('\0') ? [{ path: 'credentials.password', message: 'must not contain NUL' }] : []),
      ...(isTooLong(String(options['nas_identifier']), 253)
        ? [{ path: 'options.nas_identifier', message: 'must have at most 253 bytes in UTF-8' }]
        : []),
    ]
  },
} as const satisfies CheckKindSpec
