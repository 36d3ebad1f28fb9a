import { lengthBytesOf, lengthIn } from '../conversation/ber-reader.ts'
import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'

/** The contents of the next element of a connection. Throws for another tag. */
export async function nextElement(conversation: Conversation, wanted: number): Promise<ByteReader> {
  const [tag, first = 0] = await conversation.read(2)
  if (tag !== wanted) throw protocolFault('the server does not speak LDAP')
  const count = lengthBytesOf(first)
  if (count === undefined) throw protocolFault('the server does not speak LDAP')
  return new ByteReader(await conversation.read(count === 0 ? first : lengthIn(await conversation.read(count))))
}
