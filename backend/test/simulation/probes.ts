import type { ProbeResult } from '@vedette/shared'
import type { ProbePrincipal } from '../../src/access/auth/index.ts'
import { claimForProbe, storeResults } from '../../src/monitoring/probes/service.ts'
import type { Instance } from './instance.ts'
import type { Requests } from './requests.ts'
import type { Scene } from './scene.ts'
import type { World } from './world.ts'

export interface Probe {
  /** Checks that were accepted, as `monitor at`. */
  accepted: string[]
  /** Checks that were sent long after they were made, likewise. */
  late: ReadonlySet<string>
  act(instance: Instance): void
}

/** A region counts for three intervals of 30 s after its last check; a request may take some of that. */
const LATE_MS = 60_000

/** Whether the target answers a region at the moment. */
export type Weather = Map<string, boolean>

/** The probe of a region: claims checks, makes them, and sends the results until it knows what became of them. */
export function createProbe(
  world: World,
  requests: Requests,
  { region, token }: Scene['probes'][number],
  weather: Weather,
  holds: number,
): Probe {
  const { random } = world
  const accepted: string[] = []
  const late = new Set<string>()
  let results: ProbeResult[] = []
  let isBusy = false
  const workerId = `00000000-0000-4000-8000-0000000000${region === 'north' ? '0a' : '0b'}`

  const send = <T>(
    instance: Instance,
    label: string,
    work: (instance: Instance, probe: ProbePrincipal) => Promise<T>,
  ): Promise<T> =>
    requests.send(instance, `${label} of ${region}`, async (on) => {
      const headers = { apiKey: token, authorization: undefined, organizationId: undefined }
      return work(on, (await on.authenticator.authenticate(headers)) as ProbePrincipal)
    })

  async function claim(instance: Instance): Promise<void> {
    const { checks } = await send(instance, 'claims', ({ probing }, probe) =>
      claimForProbe(probing, probe, { worker_id: workerId }, new AbortController().signal),
    )
    for (const { claim: name } of checks) results.push(resultOf(name, world.nowMs, weather.get(region) !== false))
  }

  async function submit(instance: Instance): Promise<void> {
    const sent = results
    for (const result of sent) if (world.nowMs > Date.parse(result.checked_at) + LATE_MS) late.add(nameOf(result))
    // Now and then a whole request arrives twice.
    const copies = random.chance(0.1) ? 2 : 1
    const sendOnce = () => send(instance, 'results', ({ probing }, probe) => storeResults(probing, probe, sent))
    const [answer] = await Promise.all(Array.from({ length: copies }, sendOnce))
    if (answer?.accepted === sent.length) accepted.push(...sent.map(nameOf))
    results = []
  }

  return {
    accepted,
    late,
    act: (instance) => {
      if (isBusy || (results.length > 0 && random.chance(holds))) return
      isBusy = true
      const step = results.length > 0 ? submit(instance) : claim(instance)
      step
        .catch((error: unknown) => {
          if (error instanceof TypeError) world.failures.push(error)
        })
        .finally(() => (isBusy = false))
    },
  }
}

const nameOf = ({ claim, checked_at: at }: ProbeResult): string => `${claim.split('.')[1]} ${Date.parse(at)}`

function resultOf(claim: string, atMs: number, isUp: boolean): ProbeResult {
  const at = new Date(atMs).toISOString()
  const phases = { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: null, transfer_ms: null }
  const error = isUp ? null : ({ code: 'connect', message: 'the target refused the connection' } as const)
  const seen = { status_code: null, response_ms: isUp ? 20 : null, address: null, http_version: null, certificate: null }
  return { claim, checked_at: at, ended_at: at, outcome: isUp ? 'up' : 'down', ...phases, ...seen, error, delayed: false }
}
