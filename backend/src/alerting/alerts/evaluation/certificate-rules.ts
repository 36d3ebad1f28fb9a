import { CERTIFICATE_DAYS, type CertificateFlag, isCertificateFlag, isCertificateMetric } from '@vedette/shared'
import { type CertificateFindings, findingsOf, readSeenByRegions } from '../../../monitoring/certificates/index.ts'
import type { Db } from '../../../platform/db/index.ts'

interface Pair {
  monitor: { organization: number; monitor: number }
  rule: { metric: string }
}

/** What the certificates of monitors give to rules, by the monitor's surrogate. No statement where no rule is about them. */
export async function readCertificateFindings(
  db: Db,
  pairs: readonly Pair[],
  nowMs: number,
): Promise<Map<number, CertificateFindings>> {
  const monitors = new Map(
    pairs.flatMap(({ monitor, rule }) => (isCertificateMetric(rule.metric) ? [[monitor.monitor, monitor] as const] : [])),
  )
  const rows = await readSeenByRegions(db, [...monitors.values()])
  const findings = new Map<number, CertificateFindings>()
  for (const [monitor, regions] of Map.groupBy(rows, (row) => row.monitor)) {
    const found = findingsOf(regions, nowMs)
    if (found) findings.set(monitor, found)
  }
  return findings
}

const FIELDS = {
  'certificate.changed': 'changed',
  'certificate.weak': 'weak',
  'certificate.name_mismatch': 'nameMismatch',
  'certificate.differs': 'differs',
  'certificate.revoked': 'revoked',
} as const satisfies Record<CertificateFlag, keyof CertificateFindings>

/** Undefined where no certificate was seen: the rule waits. Pure. */
export function certificateValue(metric: string, seen: CertificateFindings | undefined): number | undefined {
  if (!seen) return undefined
  if (metric === CERTIFICATE_DAYS) return seen.days ?? undefined
  return isCertificateFlag(metric) ? Number(seen[FIELDS[metric]] !== null) : undefined
}

const TEXTS: Readonly<Record<CertificateFlag, (what: string) => string>> = {
  'certificate.changed': (what) => `the certificate changed ${what}`,
  'certificate.weak': (what) => `weak certificate: ${what}`,
  'certificate.name_mismatch': (what) => `the certificate is for another name: ${what}`,
  'certificate.differs': (what) => what,
  'certificate.revoked': (what) => `the certificate was revoked ${what}`,
}
const ENDED: Readonly<Record<CertificateFlag, string>> = {
  'certificate.changed': 'the certificate has not changed for a day',
  'certificate.weak': 'the certificate is not weak',
  'certificate.name_mismatch': 'the certificate is for its name',
  'certificate.differs': 'regions see the same certificate',
  'certificate.revoked': 'the certificate is not revoked',
}

/** What a rule on certificates says of a monitor, in one line; undefined for other metrics, and for days. Pure. */
export function certificateText(name: string, metric: string, seen: CertificateFindings | undefined): string | undefined {
  if (!isCertificateFlag(metric)) return undefined
  const what = seen?.[FIELDS[metric]] ?? null
  return `${name}: ${what === null ? ENDED[metric] : TEXTS[metric](what)}`
}
