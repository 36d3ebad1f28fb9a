import { noFacts } from '../kind.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import * as imap from '../imap/index.ts'
import * as mysql from '../mysql/index.ts'
import * as postgres from '../postgres/index.ts'
import * as smtp from '../smtp/index.ts'
import { elementIn, numberOf } from '../conversation/ber-reader.ts'
import { nextElement } from './ber.ts'

interface Protocol {
  port: number
  /** Speaks in plain text until the server is ready for TLS, then changes to it. */
  open(conversation: Conversation): Promise<void>
}

async function openPop3(conversation: Conversation): Promise<void> {
  await expectOk(conversation)
  conversation.write('STLS\r\n')
  await expectOk(conversation)
  await conversation.secure()
}

async function expectOk(conversation: Conversation): Promise<void> {
  if (!(await conversation.readLine()).startsWith('+OK')) throw protocolFault(REFUSED)
}

const REFUSED = 'the server does not offer STARTTLS'

/** RFC 4511: an extended request for 1.3.6.1.4.1.1466.20037, as message 1. */
const LDAP_REQUEST = Buffer.concat([Buffer.from('301d02010177188016', 'hex'), Buffer.from('1.3.6.1.4.1.1466.20037')])

const SEQUENCE = 0x30
const INTEGER = 0x02
const EXTENDED_RESPONSE = 0x78
const ENUMERATED = 0x0a

async function openLdap(conversation: Conversation): Promise<void> {
  conversation.write(LDAP_REQUEST)
  const message = await nextElement(conversation, SEQUENCE)
  const [id, response] = [elementIn(message), elementIn(message)]
  if (id.tag !== INTEGER || numberOf(id) !== 1 || response.tag !== EXTENDED_RESPONSE) throw protocolFault(REFUSED)
  const result = elementIn(response.contents)
  // The result code of success.
  if (result.tag !== ENUMERATED || numberOf(result) !== 0) throw protocolFault(REFUSED)
  await conversation.secure()
}

export const STARTTLS: Record<'none' | 'smtp' | 'imap' | 'pop3' | 'ldap' | 'postgres' | 'mysql', Protocol> = {
  none: { port: 443, open: async () => {} },
  // Mail ports are open to the kind `smtp` alone: a definition without another port is refused.
  smtp: {
    port: 587,
    async open(conversation) {
      await smtp.greet(conversation, noFacts())
      await smtp.startTls(conversation)
    },
  },
  imap: {
    port: 143,
    async open(conversation) {
      await imap.greet(conversation, noFacts())
      await imap.startTls(conversation, imap.createCommands(conversation))
    },
  },
  pop3: { port: 110, open: openPop3 },
  ldap: { port: 389, open: openLdap },
  postgres: { port: 5_432, open: postgres.startTls },
  mysql: { port: 3_306, open: mysql.openTls },
}
