import { CERTIFICATE_DAYS, DAY_MS, type HostCertificateMetric } from '@vedette/shared'
import { CHANGE_COUNTS_MS, type CertificateKey, describeChange } from './findings.ts'

/** A certificate in a file of a host, for rules. Instants are ms. */
export interface SeenInFile extends CertificateKey {
  path: string
  entry: string
  name: string
  endsMs: number
  weak: string | null
  changedMs: number | null
  /** Of the one that was replaced; undefined where it is no longer stored. */
  before: CertificateKey | undefined
}

/** The value of a metric, and which certificate it comes from. */
export interface FileFinding {
  value: number
  /** `shop.example.com in /etc/ssl/shop.pem`; absent where nothing is wrong. */
  where?: string
  /** What is wrong; absent for days. */
  what?: string
}

/** Undefined where no certificate is reported: the rule waits. Pure. */
export function fileFindingOf(
  metric: HostCertificateMetric,
  files: readonly SeenInFile[],
  nowMs: number,
): FileFinding | undefined {
  const [first] = files
  if (!first) return undefined
  if (metric === CERTIFICATE_DAYS) {
    const soonest = files.reduce((best, one) => (one.endsMs < best.endsMs ? one : best), first)
    return { value: (soonest.endsMs - nowMs) / DAY_MS, where: placeOf(soonest) }
  }
  const isWrong = (file: SeenInFile) =>
    metric === 'certificate.weak' ? file.weak !== null : file.changedMs !== null && nowMs - file.changedMs < CHANGE_COUNTS_MS
  const found = files.find(isWrong)
  if (!found) return { value: 0 }
  return { value: 1, where: placeOf(found), what: metric === 'certificate.weak' ? (found.weak ?? '') : describeChange(found) }
}

const placeOf = ({ name, path, entry }: SeenInFile): string =>
  `${name} in ${path}${entry === '' || entry === name ? '' : ` (${entry})`}`
