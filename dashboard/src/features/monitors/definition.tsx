import type { MonitorDetails } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../components/copy.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Instant, useNow } from '../../components/time.tsx'
import { duration } from '../../lib/format.ts'
import { fullDate } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.monitors.definition
const DAY_MS = 86_400_000
/** From here on a certificate is a warning. */
const SOON_DAYS = 14

export function Definition({ monitor }: { monitor: MonitorDetails }) {
  const { assertions, certificate_expires_at, server_id } = monitor
  const yes = (is: boolean) => (is ? words.yes : words.no)
  return (
    <Panel title={words.title}>
      <dl>
        <Fact name={words.interval}>{duration(monitor.interval)}</Fact>
        <Fact name={words.timeout}>{duration(monitor.timeout)}</Fact>
        <Fact name={text.monitors.columns.regions}>{monitor.regions.join(', ')}</Fact>
        <Fact name={words.confirmations}>{monitor.confirmations}</Fact>
        <Fact name={words.redirects}>{yes(monitor.follow_redirects)}</Fact>
        <Fact name={words.tls}>{yes(monitor.verify_tls)}</Fact>
        <Fact name={words.assertions}>
          {assertions.length === 0
            ? words.none
            : assertions.map((assertion) => (
                <span key={JSON.stringify(assertion)} className="block">
                  {sentence(assertion)}
                </span>
              ))}
        </Fact>
        {certificate_expires_at !== null && (
          <Fact name={text.monitors.figures.certificate}>
            <Certificate until={certificate_expires_at} />
          </Fact>
        )}
        {server_id !== null && (
          <Fact name={words.server}>
            <Link to="/servers/$serverId" params={{ serverId: server_id }} className="text-accent hover:underline">
              {server_id}
            </Link>
          </Fact>
        )}
        <Fact name={text.servers.facts.id}>
          <span className="inline-flex items-center gap-1 font-mono text-[0.88rem]">
            {monitor.id}
            <CopyButton value={monitor.id} />
          </span>
        </Fact>
      </dl>
    </Panel>
  )
}

function Certificate({ until }: { until: string }) {
  const now = useNow()
  const days = Math.floor((Date.parse(until) - now) / DAY_MS)
  return (
    <span className={days < SOON_DAYS ? 'text-bad' : ''}>
      {text.monitors.certificateLeft(days)} · <Instant at={until} format={fullDate} />
    </span>
  )
}

function sentence({ type, property, operator, value }: MonitorDetails['assertions'][number]): string {
  const { types, operators } = text.monitors
  return [types[type] ?? type, property, operators[operator] ?? operator, value].filter((part) => part !== undefined).join(' ')
}
