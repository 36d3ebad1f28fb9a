import { MEDIA_FACTS, pathFaults, VERIFY_TLS } from './common.ts'
import type { CheckKindSpec } from './kind.ts'

export const sip = {
  label: 'SIP',
  description: 'Queries a telephone system or a trunk with OPTIONS.',
  protocols: ['sip:', 'sips:'],
  example: 'sip://pbx.example.com',
  network: {
    carrier: ({ url, options }) => (options['transport'] === 'udp' && !/^sips:/i.test(url) ? 'datagrams' : 'tcp'),
    hasTls: true,
  },
  options: {
    transport: {
      label: 'Transport',
      hint: 'sips:// uses TLS',
      form: 'choice',
      choices: ['udp', 'tcp'],
      default: 'udp',
    },
    verify_tls: VERIFY_TLS,
    user: {
      label: 'User',
      hint: 'whose address is queried; none for the server itself',
      form: 'text',
      maxLength: 128,
      default: '',
    },
  },
  credentials: {},
  observes: ['status', 'headers', 'certificate'],
  facts: MEDIA_FACTS,
  faults: ({ url, options }) => [
    ...pathFaults(url),
    ...(/^[\w.!~*'()&=+$,;?/-]*$/.test(String(options['user']))
      ? []
      : [{ path: 'options.user', message: "must have letters, digits and -_.!~*'()&=+$,;?/ alone" }]),
  ],
} as const satisfies CheckKindSpec
