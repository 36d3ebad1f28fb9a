import { HEALTH_FINDINGS, healthMetric } from '@vedette/shared'
import type { DerivedHealth } from '../../../hosts/health/index.ts'
import { LIVE_MS } from '../../../hosts/metrics/index.ts'
import { type Finding, toWireFinding } from '../../../hosts/servers/index.ts'
import type { ServerResult } from './apply-server-result.ts'
import type { DueServer } from './server-samples.ts'

/** Findings that a text names. */
const NAMED = 3

/** What the rules on the health of a server find; nothing where its newest sample is not live. Pure. */
export function evaluateHealthRules(
  { server, rules, open }: Pick<DueServer, 'server' | 'rules' | 'open'>,
  health: DerivedHealth | undefined,
  nowMs: number,
): ServerResult[] {
  if (!health || nowMs - health.atMs > LIVE_MS) return []
  return rules.flatMap((rule): ServerResult[] => {
    const code = healthMetric(rule.metric)
    if (!code) return []
    const found = health.findings.filter((finding) => finding.code === code)
    const common = { rule, atMs: nowMs }
    const { metric } = rule
    if (open.has(rule.id)) {
      if (found.length > 0) return []
      const summary = `${server.name}: no longer found: ${HEALTH_FINDINGS[code].name}`
      return [{ ...common, result: 'resolved', summary, evidence: { metric, value: 0 }, value: 0 }]
    }
    if (!found.some(({ sinceMs }) => health.atMs - sinceMs >= rule.for_seconds * 1_000)) return []
    const evidence = { metric, value: 1, findings: found.map((finding) => toWireFinding(finding)) }
    return [{ ...common, result: 'opened', summary: describeFindings(server.name, found), evidence, value: 1 }]
  })
}

/** `web-1: Disk sda reports that it is failing`, with some more, and how many there are. Pure. */
export function describeFindings(name: string, findings: readonly Pick<Finding, 'text'>[]): string {
  const texts = findings.slice(0, NAMED).map(({ text }) => text)
  const others = findings.length - texts.length
  return `${name}: ${texts.join('; ')}${others > 0 ? ` and ${others} more` : ''}`
}
