import { PROMQL_METRIC, type RuleTargetType } from './alert-types.ts'
import { CHECK_TYPES, type CheckKindSpec } from '../monitoring/checks/kinds/index.ts'
import { ENTITY_KIND_NAMES, ENTITY_KINDS, type EntityKindName } from '../hosts/entities/kinds.ts'
import { HEALTH_CODES, healthMetricOf } from '../hosts/health-codes.ts'
import { ALL_FIELDS } from '../hosts/metrics/fields.ts'

const kinds: CheckKindSpec[] = Object.values(CHECK_TYPES)
/** Facts of checks that are numbers; one with a property stands for facts of any name. */
const FACTS = new Set(
  kinds.flatMap(({ facts }) =>
    Object.entries(facts).flatMap(([name, { valueKinds, property }]) =>
      valueKinds.includes('number') && property === undefined ? [name] : [],
    ),
  ),
)

/** The fields of entities: `entity.container.memory_percent`. */
const ENTITY_METRICS = ENTITY_KIND_NAMES.flatMap((kind) =>
  Object.keys(ENTITY_KINDS[kind].fields).map((field) => `entity.${kind}.${field}`),
)

/** The kind and field of a metric of entities; undefined for another metric. */
export function entityMetric(metric: string): { kind: EntityKindName; field: string } | undefined {
  if (!ENTITY_METRICS.includes(metric)) return undefined
  const [, kind, field] = metric.split('.') as [string, EntityKindName, string]
  return { kind, field }
}

/** Days until something is full, by the line through its daily maxima. */
const CAPACITY_METRICS = { 'filesystem.days_until_full': 'filesystem', 'memory.days_until_full': 'memory' } as const

/** What a metric says when it is full; undefined for another metric. */
export const capacityMetric = (metric: string): 'filesystem' | 'memory' | undefined =>
  CAPACITY_METRICS[metric as keyof typeof CAPACITY_METRICS]

/** Of a composite: how many of its members are down. */
export const MEMBERS_DOWN = 'members_down'

/** What is wrong with a certificate that a monitor sees; each equals 1. */
export const CERTIFICATE_FLAGS = [
  'certificate.changed',
  'certificate.weak',
  'certificate.name_mismatch',
  'certificate.differs',
  'certificate.revoked',
] as const
export type CertificateFlag = (typeof CERTIFICATE_FLAGS)[number]
/** Days until the first end among a certificate and its chain. */
export const CERTIFICATE_DAYS = 'certificate.days'

/** Of a host: about the certificates in its files. */
export const HOST_CERTIFICATE_METRICS = [CERTIFICATE_DAYS, 'certificate.changed', 'certificate.weak'] as const
export type HostCertificateMetric = (typeof HOST_CERTIFICATE_METRICS)[number]
export const isHostCertificateMetric = (metric: string): metric is HostCertificateMetric =>
  (HOST_CERTIFICATE_METRICS as readonly string[]).includes(metric)

export const isCertificateFlag = (metric: string): metric is CertificateFlag =>
  (CERTIFICATE_FLAGS as readonly string[]).includes(metric)
/** Whether a metric is about certificates and their chains. */
export const isCertificateMetric = (metric: string): boolean => metric === CERTIFICATE_DAYS || isCertificateFlag(metric)

/** The metrics of a rule by the type of its target. `status` is text, all others are numbers. */
export const ALERT_METRICS: Readonly<Record<RuleTargetType, readonly string[]>> = {
  monitor: ['status', 'response_ms', 'certificate_days', CERTIFICATE_DAYS, ...CERTIFICATE_FLAGS, MEMBERS_DOWN, ...FACTS],
  server: [
    'status',
    ...ALL_FIELDS.map(({ group, name }) => `${group}.${name}`),
    'filesystem.percent',
    ...Object.keys(CAPACITY_METRICS),
    ...ENTITY_METRICS,
    ...HEALTH_CODES.map(healthMetricOf),
    ...HOST_CERTIFICATE_METRICS,
  ],
  series: [PROMQL_METRIC],
}
