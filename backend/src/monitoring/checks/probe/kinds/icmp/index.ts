import { isIPv4 } from 'node:net'
import type { DefinitionOf } from '@vedette/shared'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import type { Resolved } from '../../connect/connector.ts'
import type { Fault } from '../../phases/fault.ts'
import type { Attempt, CheckKind, InheritedSockets } from '../kind.ts'
import { figuresOf } from './figures.ts'
import { openInheritedSocket, openPingSocket } from './ping-socket.ts'
import type { Pinger } from './pinger.ts'
import { createSocketPinger } from './socket-pinger.ts'
import { createSystemPinger } from './system-pinger.ts'

type Definition = DefinitionOf<'icmp'>

/** Echo requests and their replies. `pingerOf` is called once for each family. */
export function createIcmpKind(pingerOf: (family: 4 | 6, inherited: InheritedSockets) => Pinger): CheckKind<Definition> {
  const pingers = new Map<4 | 6, Pinger>()
  const pinger = (family: 4 | 6, inherited: InheritedSockets) => {
    const existing = pingers.get(family) ?? pingerOf(family, inherited)
    pingers.set(family, existing)
    return existing
  }
  return {
    type: 'icmp',
    hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
    start(definition, attempt, tools) {
      const host = targetOfUrl(definition.url, 0)?.host
      if (host === undefined) return attempt.fail(NO_HOST)
      const proceed = attempt.safely((resolved: Resolved | Fault) => {
        if ('code' in resolved) return attempt.fail(resolved)
        const address = resolved.addresses.find((each) => isOf(definition.options.family, each))
        if (address !== undefined) return echo(definition, attempt, address, pinger(isIPv4(address) ? 4 : 6, tools.inherited))
        const name = definition.options.family === 'ipv4' ? 'IPv4' : 'IPv6'
        attempt.fail({ code: 'dns', message: `the host has no ${name} address` })
      })
      let stopLookUp = () => {}
      // Held first: of an address `proceed` is called at once, and what it holds must stay held.
      attempt.hold(() => stopLookUp())
      stopLookUp = tools.connector.resolve({ host, port: 0 }, attempt.timeline, proceed)
    },
  }
}

const isOf = (family: Definition['options']['family'], address: string): boolean =>
  family === 'any' || isIPv4(address) === (family === 'ipv4')

function echo({ options, timeout }: Definition, attempt: Attempt, address: string, pinger: Pinger): void {
  const { timeline, facts } = attempt
  const rtts: (number | undefined)[] = Array.from({ length: options.packets }, () => undefined)
  const doneMs = (timeline.us.dns ?? 0) / 1_000
  facts.address = address
  facts.figures['packet_loss'] = 100
  const finish = attempt.safely(() => {
    Object.assign(facts.figures, figuresOf(rtts))
    // The response time of a ping is its mean round trip.
    timeline.us.firstByte = Math.round(Number(facts.figures['rtt_avg_ms']) * 1_000)
    attempt.answer({ headers: new Map(), body: Buffer.alloc(0) })
  })
  timeline.begin('firstByte')
  const order = {
    address,
    family: isIPv4(address) ? 4 : 6,
    packets: options.packets,
    packetBytes: options.packet_bytes,
    timeoutMs: timeout * 1_000 - doneMs,
  } as const
  const cancel = pinger.start(order, {
    reply(index, rttUs) {
      // The first one shows the own delay of the probe.
      if (timeline.current === 'firstByte') timeline.endByEvent()
      rtts[index] = rttUs
    },
    end: finish,
    fault: (fault) => attempt.fail(fault),
  })
  attempt.hold(cancel)
}

/** The socket that needs no privilege where the kernel allows it, else an inherited one, else the system's program. */
const openPinger = (family: 4 | 6, inherited: InheritedSockets): Pinger => {
  const socket = openPingSocket(family) ?? openInheritedSocket(family, inherited)
  return socket ? createSocketPinger(family, socket) : createSystemPinger()
}

export const icmp = createIcmpKind(openPinger)
