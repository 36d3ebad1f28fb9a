import type { MonitorDetails } from '@vedette/shared'
import { ASSERTION_OPERATORS, assertionTypeSpec, DAY_MS, MASK, stepsIn, quantity } from '@vedette/shared/tables'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DependencyList } from '../../components/dependencies.tsx'
import { TargetName } from '../../components/target-fields.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Fact, Panel } from '../../components/page.tsx'
import { Instant, useNow } from '../../components/time.tsx'
import { duration, orDash } from '../../lib/format.ts'
import { fullDate } from '../../lib/time.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { kindOf } from './kind.ts'
import { factLabel } from '../../lib/fact-texts.ts'
import { fieldTexts, kindLabel } from '../../lib/kind-texts.ts'

const { definition: text, fields } = messages.monitors
/** Below this a certificate is shown as a problem. */
const SOON_DAYS = 14

export function Definition({ monitor }: { monitor: MonitorDetails }) {
  const { assertions = [], certificate_expires_at, server_id, type, options, credentials = {} } = monitor
  const yesNo = (isSet: boolean) => (isSet ? messages.yes : messages.no)
  return (
    <Panel title={text.title}>
      <dl>
        <Fact name={fields.type}>{kindLabel(type)}</Fact>
        {kindOf(type).isChecked && (
          <>
            <Fact name={fields.interval}>{orDash(monitor.interval, duration)}</Fact>
            <Fact name={fields.timeout}>{orDash(monitor.timeout, duration)}</Fact>
            <Fact name={fields.regions}>{monitor.regions?.join(', ')}</Fact>
            <Fact name={fields.confirmations}>{monitor.confirmations}</Fact>
          </>
        )}
        {monitor.follow_redirects !== undefined && <Fact name={fields.redirects}>{yesNo(monitor.follow_redirects)}</Fact>}
        {monitor.verify_tls !== undefined && <Fact name={fields.tls}>{yesNo(monitor.verify_tls)}</Fact>}
        {Object.entries(options).map(([name, value]) => {
          const words = optionText(type, name, value)
          return (
            words !== undefined && (
              <Fact key={name} name={fieldTexts(type, name).label}>
                {words}
              </Fact>
            )
          )
        })}
        {Object.keys(credentials).map((name) => (
          <Fact key={name} name={fieldTexts(type, name).label}>
            {MASK}
          </Fact>
        ))}
        {kindOf(type).hasResults && (
          <Fact name={fields.assertions}>
            {assertions.length === 0
              ? type === 'http'
                ? text.noAssertion
                : text.noAssertionOfKind
              : assertions.map((assertion) => (
                  <span key={JSON.stringify(assertion)} className="block">
                    {assertionText(assertion)}
                  </span>
                ))}
          </Fact>
        )}
        {certificate_expires_at !== null && (
          <Fact name={messages.monitors.figures.certificate}>
            <Certificate until={certificate_expires_at} />
          </Fact>
        )}
        {server_id !== null && (
          <Fact name={fields.server}>
            <Link to="/servers/$serverId" params={{ serverId: server_id }} className="text-accent hover:underline">
              <TargetName type="server" id={server_id} />
            </Link>
          </Fact>
        )}
        {monitor.depends_on.length > 0 && (
          <Fact name={alerts.dependencies.label}>
            <DependencyList dependsOn={monitor.depends_on} />
          </Fact>
        )}
        <Fact name={messages.servers.facts.id}>
          <span className="inline-flex items-center gap-1 font-mono text-[0.88rem]">
            {monitor.id}
            <CopyButton value={monitor.id} />
          </span>
        </Fact>
      </dl>
    </Panel>
  )
}

/** An option as its kind means it; one of a kind that this page does not know as the API sends it. */
function optionText(type: string, name: string, value: unknown): ReactNode {
  const { optionText: textOf } = kindOf(type)
  if (textOf) return textOf(value, name)
  if (type === 'steps' && name === 'steps')
    return stepsIn({ steps: value }).map((step, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- two steps may be equal
      <span key={index} className="block [overflow-wrap:anywhere]">
        {index + 1}. {step.name}: {step.method ?? 'GET'} {step.url}
      </span>
    ))
  if (typeof value === 'boolean') return value ? messages.yes : messages.no
  const typed = Array.isArray(value) ? kindOf(type).typedOptions({ [name]: value })[name] : undefined
  if (typeof typed === 'string') return <span className="whitespace-pre-line [overflow-wrap:anywhere]">{typed}</span>
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Certificate({ until }: { until: string }) {
  const now = useNow()
  const days = Math.floor((Date.parse(until) - now) / DAY_MS)
  return (
    <span className={days < SOON_DAYS ? 'text-bad' : ''}>
      {messages.monitors.certificateLeft(days)} · <Instant at={until} format={fullDate} />
    </span>
  )
}

/** `Response time is below 500 ms`. */
function assertionText({ type, property, operator, value }: NonNullable<MonitorDetails['assertions']>[number]): string {
  const unit = assertionTypeSpec(type)?.unit
  const operatorLabel = Object.hasOwn(ASSERTION_OPERATORS, operator) ? ASSERTION_OPERATORS[operator].label : operator
  const measured = value === undefined || unit === undefined ? value : quantity(value, unit)
  return [factLabel(type), property, operatorLabel, measured].filter((part) => part !== undefined).join(' ')
}
