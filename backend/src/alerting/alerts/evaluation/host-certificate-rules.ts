import { CERTIFICATE_DAYS, counted, type HostCertificateMetric, isHostCertificateMetric } from '@vedette/shared'
import { type FileFinding, fileFindingOf, readSeenInFiles } from '../../../monitoring/certificates/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { RuleRow } from '../rules/store.ts'
import type { ServerResult } from './apply-server-result.ts'
import { CLOSED, evaluate } from './evaluate.ts'
import type { DueServer } from './server-samples.ts'

/** In the order of the servers. No statement where no rule is about certificates in files. */
export async function evaluateHostCertificates(db: Db, servers: readonly DueServer[], nowMs: number): Promise<ServerResult[][]> {
  const wanted = servers.filter(
    ({ rules, pushes }) => pushes.length > 0 && rules.some(({ metric }) => isHostCertificateMetric(metric)),
  )
  const keys = wanted.map(({ tracked: { organization }, server }) => ({ organization, serverId: server.id }))
  const files = Map.groupBy(await readSeenInFiles(db, keys), ({ serverId }) => serverId)
  const isWanted = new Set(wanted)
  return servers.map((server) => {
    if (!isWanted.has(server)) return []
    const own = files.get(server.server.id) ?? []
    return server.rules.flatMap((rule) => {
      const { metric } = rule
      return isHostCertificateMetric(metric) ? (evaluateRule(server, rule, fileFindingOf(metric, own, nowMs), nowMs) ?? []) : []
    })
  })
}

function evaluateRule(
  { server, open }: Pick<DueServer, 'server' | 'open'>,
  rule: RuleRow,
  found: FileFinding | undefined,
  nowMs: number,
): ServerResult | undefined {
  const isOpen = open.has(rule.id)
  const common = { rule, atMs: nowMs }
  if (!found) {
    if (!isOpen) return undefined
    const summary = `${server.name}: no certificate is reported any more`
    return { ...common, result: 'resolved', summary, evidence: { metric: rule.metric, value: null } }
  }
  const { result } = evaluate({ ...rule, for_seconds: 0 }, { ...CLOSED, isOpen }, found.value, nowMs)
  if (!result) return undefined
  const { value, where } = found
  const summary = describeFinding(server.name, rule, found)
  const evidence = { metric: rule.metric, value, ...(where !== undefined && { certificate: where }) }
  return { ...common, result, summary, evidence, value }
}

const ENDED: Readonly<Record<Exclude<HostCertificateMetric, typeof CERTIFICATE_DAYS>, string>> = {
  'certificate.changed': 'no certificate has changed for a day',
  'certificate.weak': 'no certificate is weak',
}

/** `web-1: certificate shop.example.com in /etc/ssl/shop.pem expires in 3 days (threshold: below 14 days)`. Pure. */
export function describeFinding(
  name: string,
  { metric, value: bound, operator }: Pick<RuleRow, 'metric' | 'value' | 'operator'>,
  { value, where, what }: FileFinding,
): string {
  if (metric === CERTIFICATE_DAYS) {
    const days = Number(value.toFixed(1))
    const side = operator === 'less_than' ? 'threshold: below' : operator === 'equals' ? 'threshold: equal to' : 'threshold'
    return counted`${name}: certificate ${where ?? ''} expires in ${days} days (${side} ${bound} days)`
  }
  if (what === undefined) return `${name}: ${ENDED[metric as keyof typeof ENDED]}`
  return metric === 'certificate.weak'
    ? `${name}: weak certificate ${where}: ${what}`
    : `${name}: certificate ${where} changed ${what}`
}
