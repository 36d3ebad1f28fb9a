import { randomFrom } from '../../../../test/random.ts'

interface Resource {
  kind: string
  ref: string
  spec: Record<string, unknown>
}

/** Configurations of all kinds that a change set can bring from one to the next, from one seed. */
export function createRandom(seed: number) {
  const random = randomFrom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const some = <T>(values: readonly T[], most = values.length): T[] => values.filter(() => random() < 0.5).slice(0, most)
  const word = () => `n${below(1_000_000)}`

  const made = (kind: string, count: number, specOf: (index: number) => Record<string, unknown>): Resource[] =>
    some(Array.from({ length: count }, (_, index) => index)).map((index) => ({
      kind,
      ref: `${kind}/${index}`,
      spec: specOf(index),
    }))
  const refsOf = (resources: readonly Resource[]) => resources.map(({ kind, ref }) => ({ ref: `${kind}:${ref}` }))

  return {
    configuration(): Resource[] {
      const channels = made('channel', 4, () => ({
        name: word(),
        type: 'webhook',
        enabled: random() < 0.5,
        config: {
          url: `https://hooks.example.com/${word()}`,
          secret: `whsec_${Buffer.alloc(24, below(256)).toString('base64')}`,
        },
      }))
      const schedules = made('schedule', 3, () => ({
        name: word(),
        time_zone: one(['UTC', 'Europe/Berlin']),
        handover_mail: random() < 0.5,
      }))
      const policies = made('escalation_policy', channels.length > 0 ? 3 : 0, () => ({
        name: word(),
        repeats: below(3),
        tags: some(['a', 'b', 'c']),
        steps: [
          { channel_ids: [one(refsOf(channels))], schedule_ids: some(refsOf(schedules)), wait_seconds: 60 * (1 + below(10)) },
        ],
      }))
      const providers = made('identity_provider', 2, () => ({
        name: word(),
        issuer: 'https://accounts.google.com',
        client_id: 'vedette',
        client_secret: word(),
        email_domains: [`${word()}.example.com`],
        enabled: random() < 0.5,
      }))
      const monitors: Resource[] = []
      for (const monitor of made('monitor', 6, () => ({
        name: word(),
        tags: some(['a', 'b', 'c']),
        interval: one([30, 60, 300]),
      }))) {
        const depends = some(refsOf(monitors), 2).map((id) => ({ type: 'monitor', id }))
        const own = one([
          { type: 'http', url: `https://${word()}.example.com`, headers: { authorization: word() } },
          { type: 'tcp', url: `tcp://${word()}.example.com:443` },
          {
            type: 'heartbeat',
            url: `heartbeat://${monitor.ref.replace('/', '-')}`,
            options: { schedule: { period_seconds: 3_600, grace_seconds: 60 } },
          },
        ])
        monitors.push({ ...monitor, spec: { ...monitor.spec, ...own, depends_on: depends } })
      }
      const target = () =>
        monitors.length > 0 && random() < 0.5
          ? { type: 'monitor', id: one(refsOf(monitors)) }
          : { type: 'monitor', tag: one(['a', 'b']) }
      const rules = made('alert_rule', 4, () => ({
        name: word(),
        target: target(),
        condition: { metric: 'status', operator: 'equals', value: 'down' },
        severity: one(['info', 'warning', 'critical']),
        ...(policies.length > 0 && random() < 0.3
          ? { escalation_policy_id: one(refsOf(policies)) }
          : { channel_ids: some(refsOf(channels)) }),
      }))
      const slos = made('slo', 2, () => ({
        name: word(),
        target: { tag: one(['a', 'b']) },
        objective: one([99, 99.9]),
        channel_ids: some(refsOf(channels)),
      }))
      const windows = made('maintenance_window', 2, (index) => ({
        name: word(),
        target: target(),
        starts_at: `2026-12-0${1 + index}T01:00:00Z`,
        ends_at: `2026-12-0${1 + index}T02:00:00Z`,
      }))
      const pages = made('status_page', 2, (index) => ({
        name: word(),
        slug: `page-${seed}-${index}`,
        title: word(),
        sections: monitors.length === 0 ? [] : [{ name: word(), monitors: some(refsOf(monitors)) }],
        published: random() < 0.5,
      }))
      return [...pages, ...rules, ...slos, ...windows, ...monitors, ...policies, ...providers, ...schedules, ...channels]
    },
  }
}
