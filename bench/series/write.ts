import type { Peer } from '../lib/peers.ts'
import { cpuOf, cpuOfTree } from '../lib/processes.ts'
import type { Figure } from '../lib/result.ts'
import { createFleet, STEP_MS } from './fleet.ts'
import type { RecordedSeries } from './recording.ts'
import { type Receiver, sendAll, sendPaced } from './requests.ts'
import { percentile, type World } from './world.ts'

const PER_REQUEST = 2_000
const AT_ONCE = 4
const WARM_UP = 2
const SMALL = 500

interface Side {
  name: string
  receiver: Receiver
  cpu(): number
  /** CPU seconds of the scrapes that count. */
  seconds: number
}

/** The CPU of remote writes at full speed and at the pace of `series` series each 15 s, in the same requests as the peers. */
export async function measureWrites(
  { backend, receiver }: World,
  peers: readonly { name: string; peer: Peer | undefined }[],
  recorded: readonly RecordedSeries[],
  { series, scrapes, pacedSeconds }: { series: number; scrapes: number; pacedSeconds: number },
): Promise<Figure[]> {
  const ours = { name: 'Vedette', receiver, cpu: () => cpuOf(backend.backendPid) + cpuOfTree(backend.postgresPid), seconds: 0 }
  const sides: Side[] = [
    ours,
    ...peers.flatMap(({ name, peer }) =>
      peer
        ? [
            {
              name,
              receiver: { url: `http://127.0.0.1:${peer.port}/api/v1/write`, headers: {} },
              cpu: () => cpuOf(peer.pid),
              seconds: 0,
            },
          ]
        : [],
    ),
  ]
  const fleet = createFleet('fleet', recorded, series)
  const paced = Math.ceil((pacedSeconds * 1_000) / STEP_MS) + 1
  let atMs = Date.now() - (scrapes + WARM_UP + 1 + 2 * paced) * STEP_MS
  const nextScrape = (perRequest: number) => fleet.scrape((atMs += STEP_MS), 1, perRequest)
  let first = 0
  for (let scrape = 0; scrape <= scrapes + WARM_UP; scrape += 1) {
    const bodies = nextScrape(PER_REQUEST)
    for (const side of sides) {
      const before = side.cpu()
      await sendAll(side.receiver, bodies, AT_ONCE)
      const seconds = side.cpu() - before
      if (scrape > WARM_UP) side.seconds += seconds
      if (scrape === 0 && side === ours) first = seconds
    }
  }
  const perMillion = ({ seconds }: Side) => seconds / ((scrapes * series) / 1e6)
  const everyMs = (STEP_MS * PER_REQUEST) / series
  const bodies = Array.from({ length: paced }, () => nextScrape(PER_REQUEST))
    .flat()
    .slice(0, Math.ceil((pacedSeconds * 1_000) / everyMs))
  const shares = await Promise.all(
    sides.map(async (side) => {
      const [before, start] = [side.cpu(), performance.now()]
      await sendPaced(side.receiver, bodies, everyMs)
      return ((side.cpu() - before) / ((performance.now() - start) / 1_000)) * 100
    }),
  )
  const small = Array.from({ length: paced }, () => nextScrape(SMALL)).flat()
  const halfMs = (2 * STEP_MS * SMALL) / series
  const times = await sendPaced(receiver, small.slice(0, Math.ceil((pacedSeconds * 1_000) / halfMs)), halfMs)
  return [
    ...sides.slice(1).map((peer, index) => ({
      name: `CPU of a million samples by remote write${index === 0 ? '' : ` next to ${peer.name}`}`,
      value: perMillion(ours),
      unit: 's',
      peer: { name: peer.name, value: perMillion(peer) },
    })),
    { name: `CPU of the first samples of ${series} new series`, value: first, unit: 's' },
    ...sides.slice(1).map((peer, index) => ({
      name: `share of one core at ${series} series each 15 s${index === 0 ? '' : ` next to ${peer.name}`}`,
      value: shares[0] as number,
      unit: '%',
      goal: { atMost: 100 },
      peer: { name: peer.name, value: shares[index + 1] as number },
    })),
    { name: `p99 of a request of ${SMALL} samples at half load`, value: percentile(times, 99), unit: 'ms', goal: { atMost: 60 } },
    { name: 'median of the same', value: percentile(times, 50), unit: 'ms' },
  ]
}
