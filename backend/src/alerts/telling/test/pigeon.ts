import { taken } from '../answer.ts'
import type { ChannelKind } from '../message.ts'

/** All that a further type of channel is, beside its line in the registry. */
export const pigeon: ChannelKind = {
  tell: async ({ url = '' }, { words }, { send }) => taken(await send({ url, headers: {}, body: words.title })),
}
