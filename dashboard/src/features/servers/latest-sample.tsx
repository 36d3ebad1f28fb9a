import type { ServerDetails } from '@vedette/shared'
import { Stat } from '../../components/page.tsx'
import { Meter } from '../../components/meter.tsx'
import { bytes, count, duration, orDash, load, percent, rate } from '../../lib/format.ts'
import { messages } from '../../messages/index.ts'
import { LastPush } from './last-push.tsx'

const text = messages.servers.now

/** Breaks between values, and not within one. */
const values = (...texts: readonly string[]): string =>
  (texts.every((each) => each === '–') ? ['–'] : texts).map((each) => each.replaceAll(' ', '\u00a0')).join(' · ')

/** The values of the latest sample. */
export function LatestSample({ server }: { server: ServerDetails }) {
  const { metrics, uptime_seconds } = server
  const { cpu, memory, disk, network, tcp } = metrics ?? {}
  const of = memory?.total_bytes === undefined ? '' : `${orDash(memory.used_bytes, bytes)} / ${orDash(memory.total_bytes, bytes)}`
  const shares = [
    { name: text.cpu, value: cpu?.percent, about: '' },
    { name: text.memory, value: memory?.percent, about: of },
    { name: text.disk, value: disk?.usage_percent, about: '' },
  ]
  return (
    <dl className="panel grid grid-cols-2 gap-x-5 gap-y-3 px-4 py-3 sm:grid-cols-4">
      {shares.map(({ name, value, about }) => (
        <Stat
          key={name}
          name={name}
          value={
            <>
              {percent(value)}{' '}
              {about !== '' && <span className="whitespace-nowrap font-normal text-[0.86rem] text-muted">{about}</span>}
            </>
          }
        >
          <Meter value={value} label={name} wide />
        </Stat>
      ))}
      <Stat name={text.load} value={values(load(cpu?.load_1), load(cpu?.load_5), load(cpu?.load_15))} />
      <Stat name={text.network} value={values(rate(network?.rx_bytes_per_sec), rate(network?.tx_bytes_per_sec))} />
      <Stat name={text.tcp} value={count(tcp?.established ?? network?.active_connections)} />
      <Stat name={text.uptime} value={orDash(uptime_seconds, duration)} />
      <Stat name={messages.servers.facts.seen} value={<LastPush server={server} />} />
    </dl>
  )
}
