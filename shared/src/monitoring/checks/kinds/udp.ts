import { pathFaults } from './common.ts'
import type { CheckKindSpec } from './kind.ts'
import { exchangeFaults, tcp } from './tcp.ts'
import { BY_DATAGRAMS } from '../network-use.ts'

export const udp = {
  label: 'UDP port',
  description: 'Sends a datagram and waits for an answer, optionally with a certain text.',
  protocols: ['udp:'],
  example: 'udp://game.example.com:27015',
  network: BY_DATAGRAMS,
  options: {
    send: { ...tcp.options.send, hint: String.raw`the datagram; \r, \n, \t, \0, \\ and \xHH are escapes`, maxLength: 1_024 },
    expect: { ...tcp.options.expect, hint: 'must occur in what is answered; the same escapes. Without it any answer is enough.' },
  },
  credentials: {},
  observes: ['text'],
  facts: {},
  faults: ({ url, options }) => [
    ...(url.port === ''
      ? [{ path: 'url', message: 'must contain a port, such as udp://game.example.com:27015' }]
      : pathFaults(url)),
    ...exchangeFaults(options),
  ],
} as const satisfies CheckKindSpec
