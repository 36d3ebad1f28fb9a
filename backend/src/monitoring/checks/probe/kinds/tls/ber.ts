import { derLengthBytes } from '@vedette/shared/der'
import { lengthIn } from '../conversation/ber-reader.ts'
import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'

/** The contents of the next element of a connection. Throws for another tag. */
export async function nextElement(conversation: Conversation, wanted: number): Promise<ByteReader> {
  const [tag, first = 0] = await conversation.read(2)
  const count = tag === wanted ? derLengthBytes(first) : undefined
  if (count === undefined) throw protocolFault('the server does not speak LDAP')
  return new ByteReader(await conversation.read(count === 0 ? first : lengthIn(await conversation.read(count))))
}
