import { countSamplesOfDays, readReceived, readSlotsOfServers } from '../../../hosts/metrics/index.ts'
import { findHosts } from '../../prometheus/index.ts'
import { resourceOfHost } from './host-resource.ts'
import { hostsAsOtlp, hostsAsPrometheus, seriesOfPush } from './host-samples.ts'
import { lazily } from './lazily.ts'
import type { ExportSource } from './source.ts'

const PUSHES_AT_ONCE = 200
const NAMINGS = { remote_write: hostsAsPrometheus, otlp: hostsAsOtlp }

/** Samples of hosts, with their filesystems and interfaces. */
export const hostsSource: ExportSource = {
  read: async (db, { organization, kind }, after, untilMs) => {
    const pushes = await readReceived(db, organization, after, untilMs, PUSHES_AT_ONCE)
    const servers = [...new Set(pushes.map(({ server }) => server))]
    const [hosts, slots] = await Promise.all([
      findHosts(db, organization, servers),
      readSlotsOfServers(db, organization, servers),
    ])
    const known = new Map(
      hosts.map((host) => [
        host.number,
        { resource: resourceOfHost(host), derived: NAMINGS[kind](host, slots.get(host.number) ?? []) },
      ]),
    )
    return {
      isAll: pushes.length < PUSHES_AT_ONCE,
      pushes: pushes.map((push) => {
        const own = known.get(push.server)
        return { place: push, path: '', series: lazily(() => (own ? seriesOfPush(push, own.resource, own.derived) : [])) }
      }),
    }
  },
  keptMs: undefined,
  estimate: countSamplesOfDays,
}
