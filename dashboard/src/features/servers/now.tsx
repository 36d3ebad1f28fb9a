import type { ServerDetails } from '@vedette/shared'
import { Figure } from '../../components/page.tsx'
import { Ago } from '../../components/time.tsx'
import { Meter } from '../../components/meter.tsx'
import { bytes, count, duration, known, load, percent, rate } from '../../lib/format.ts'
import { text } from '../../messages/index.ts'

const words = text.servers.now

/** The newest sample in one row. */
export function Now({ server: { metrics, uptime_seconds, last_seen_at } }: { server: ServerDetails }) {
  const { cpu, memory, disk, network, tcp } = metrics ?? {}
  const of = `${known(memory?.used_bytes, bytes)} / ${known(memory?.total_bytes, bytes)}`
  const shares = [
    { name: words.cpu, value: cpu?.percent, about: '' },
    { name: words.memory, value: memory?.percent, about: of },
    { name: words.disk, value: disk?.usage_percent, about: '' },
  ]
  return (
    <dl className="panel grid grid-cols-2 gap-x-5 gap-y-3 px-4 py-3 sm:grid-cols-4">
      {shares.map(({ name, value, about }) => (
        <Figure
          key={name}
          name={name}
          value={
            <>
              {percent(value)} {about !== '' && <span className="font-normal text-[0.86rem] text-muted">{about}</span>}
            </>
          }
        >
          <Meter value={value} label={name} wide />
        </Figure>
      ))}
      <Figure name={words.load} value={[cpu?.load_1, cpu?.load_5, cpu?.load_15].map(load).join(' · ')} />
      <Figure name={words.network} value={`${rate(network?.rx_bytes_per_sec)} · ${rate(network?.tx_bytes_per_sec)}`} />
      <Figure name={words.tcp} value={count(tcp?.established ?? network?.active_connections)} />
      <Figure name={words.uptime} value={known(uptime_seconds, duration)} />
      <Figure name={text.servers.facts.seen} value={<Ago at={last_seen_at} />} />
    </dl>
  )
}
