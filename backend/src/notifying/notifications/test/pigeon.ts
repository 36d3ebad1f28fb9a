import { requireAccepted } from '../kinds/post.ts'
import type { ChannelKind } from '../messages/message.ts'

/** Everything that a new channel type needs, except its line in the registry. */
export const pigeon: ChannelKind = {
  deliver: async ({ url = '' }, { content }, { send }) => requireAccepted(await send({ url, headers: {}, body: content.title })),
}
