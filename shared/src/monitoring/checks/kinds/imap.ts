import { GREETING, LOGIN, MAIL_OPTIONS, mailFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export const imap = {
  label: 'IMAP',
  description: 'Greets a mailbox server, logs in if wanted, and reads no mail.',
  protocols: ['imap:'],
  example: 'imap://mail.example.com:993',
  network: OVER_TLS,
  options: MAIL_OPTIONS,
  credentials: LOGIN,
  observes: ['certificate'],
  facts: { greeting: GREETING },
  faults: mailFaults,
} as const satisfies CheckKindSpec
