import { counted, type DefinitionOf } from '@vedette/shared'
import { protocolFault } from '../conversation/check-fault.ts'
import { converseByDatagrams } from '../conversation/datagram.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind } from '../kind.ts'
import { bytesOfText } from '../tcp/escapes.ts'
import { targetOfUrl } from '../url-target.ts'

type Definition = DefinitionOf<'udp'>

const MAX_ANSWER_BYTES = 65_536

/** A datagram and its answer. Assertions see all answers up to the expected text. */
export const udp: CheckKind<Definition> = {
  type: 'udp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, timeout, options }, attempt, tools) {
    const wanted = bytesOfText(options.expect)
    let received = Buffer.alloc(0)
    converseByDatagrams(attempt, tools, { url, defaultPort: 0, timeout }, ({ request }) =>
      request(bytesOfText(options.send), (answer) => {
        received = Buffer.concat([received, answer.subarray(0, MAX_ANSWER_BYTES - received.length)])
        attempt.facts.statusLine = readable(received)
        if (received.includes(wanted)) return received
        if (received.length >= MAX_ANSWER_BYTES)
          throw protocolFault(
            counted`the expected text did not arrive: the limit of 64 KiB was reached after ${received.length} bytes`,
          )
        return undefined
      }),
    )
  },
}
