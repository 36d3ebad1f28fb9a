import { noFacts } from '../kind.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import * as imap from '../imap/index.ts'
import * as mysql from '../mysql/index.ts'
import * as postgres from '../postgres/index.ts'
import * as smtp from '../smtp/index.ts'

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

async function openLdap(conversation: Conversation): Promise<void> {
  conversation.write(LDAP_REQUEST)
  const [tag, size = 0] = await conversation.read(2)
  const lengthBytes = Math.max(0, size - 0x80)
  if (tag !== 0x30 || lengthBytes > 2) throw protocolFault('the server does not speak LDAP')
  const length = lengthBytes === 0 ? size : (await conversation.read(lengthBytes)).readUIntBE(0, lengthBytes)
  const answer = await conversation.read(length)
  // Message 1, an extended response whose result code is success.
  if (!/^02010178(?:81)?..0a0100/.test(answer.toString('hex'))) throw protocolFault(REFUSED)
  await conversation.secure()
}

export const STARTTLS: Record<'none' | 'smtp' | 'imap' | 'pop3' | 'ldap' | 'postgres' | 'mysql', Protocol> = {
  none: { port: 443, open: async () => {} },
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
