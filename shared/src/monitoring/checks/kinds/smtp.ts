import { GREETING, LOGIN, MAIL_OPTIONS, mailFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { OVER_TLS } from '../network-use.ts'

export const smtp = {
  label: 'SMTP',
  description: 'Greets a mail server, logs in if wanted, and sends no mail.',
  protocols: ['smtp:'],
  example: 'smtp://mail.example.com:587',
  isMail: true,
  network: OVER_TLS,
  options: MAIL_OPTIONS,
  credentials: LOGIN,
  observes: ['certificate'],
  facts: { greeting: GREETING },
  faults: mailFaults,
} as const satisfies CheckKindSpec
