import { GREETING, LOGIN, MAIL_OPTIONS, mailFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'

export const imap = {
  label: 'IMAP',
  description: 'Greets a mailbox server, logs in if wanted, and reads no mail.',
  protocols: ['imap:'],
  example: 'imap://mail.example.com:993',
  options: MAIL_OPTIONS,
  credentials: LOGIN,
  observes: ['certificate'],
  facts: { greeting: GREETING },
  faults: mailFaults,
} as const satisfies CheckKindSpec
