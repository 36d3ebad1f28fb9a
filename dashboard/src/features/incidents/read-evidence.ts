import { CHECK_PHASES, entityMetric } from '@vedette/shared/tables'
import type { Documentation } from '../../lib/documentation.ts'
import type { PhaseTimes } from '../../lib/phases.ts'

/** Evidence differs between rules and releases, so unexpected fields are ignored. */
type Unknown = Readonly<Record<string, unknown>>

export interface EvidenceCheck {
  region: string
  outcome: string | undefined
  failedPhase: string | undefined
  statusCode: number | undefined
  responseMs: number | undefined
  error: string | undefined
  address: string | undefined
  /** What the kind of check reported. */
  facts: readonly (readonly [name: string, value: string | number])[]
  certificateExpiresAt: string | undefined
  /** The response of the target, shortened and without secrets. */
  statusLine: string | undefined
  body: string | undefined
  checkedAt: string | undefined
  times: PhaseTimes
}

export interface EvidenceHost {
  id: string
  name: string
  sampledAt: string | undefined
  /** By their API names, such as `cpu.percent`. */
  values: readonly (readonly [name: string, value: number])[]
  processes: readonly EvidenceProcess[]
}

export interface EvidenceProcess {
  pid: number
  name: string
  cpuPercent: number | undefined
  memoryBytes: number | undefined
}

/** An entity that met the condition. */
export interface EvidenceEntity {
  name: string
  image: string | undefined
  value: number | undefined
}

export interface Evidence {
  /** The values that the rule evaluated. */
  facts: readonly (readonly [name: string, value: string | number])[]
  checks: readonly EvidenceCheck[]
  host: EvidenceHost | undefined
  /** Of a rule on a field of entities. */
  entities: { metric: string; rows: readonly EvidenceEntity[] } | undefined
  /** Of a rule on a finding. */
  findings: readonly { code: string; text: string; since: string | undefined }[]
  /** What people said about its rule and its target. */
  documentation: { rule: Documentation | undefined; target: Documentation | undefined }
}

const isObject = (value: unknown): value is Unknown => typeof value === 'object' && value !== null && !Array.isArray(value)
const objectsIn = (value: unknown): Unknown[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

export function readEvidence(evidence: Unknown): Evidence {
  const entities = entitiesOf(evidence)
  const findings = objectsIn(evidence['findings']).map(({ code, text, since }) => ({
    code: textIn(code) ?? '',
    text: textIn(text) ?? '',
    since: textIn(since),
  }))
  return {
    // The table of entities shows metric, kind and values, and findings say what they are.
    facts: entities || findings.length > 0 ? [] : factsIn(evidence),
    checks: objectsIn(evidence['checks']).map(checkOf),
    host: hostOf(evidence['host']),
    entities,
    findings,
    documentation: documentationIn(evidence['documentation']),
  }
}

function documentationIn(value: unknown): Evidence['documentation'] {
  const { rule, target } = isObject(value) ? value : {}
  return {
    rule: isObject(rule) ? documentationOf(rule) : undefined,
    target: isObject(target) ? documentationOf(target) : undefined,
  }
}

const documentationOf = ({ description, runbook_url, responsible, links }: Unknown): Documentation => ({
  description: textIn(description) ?? null,
  runbook_url: textIn(runbook_url) ?? null,
  responsible: textIn(responsible) ?? null,
  links: objectsIn(links).map(({ name, url }) => ({ name: textIn(name) ?? '', url: textIn(url) ?? '' })),
})

function entitiesOf({ metric, entities }: Unknown): Evidence['entities'] {
  if (typeof metric !== 'string' || !entityMetric(metric)) return undefined
  const rows = objectsIn(entities).map(({ name, attributes, value }) => ({
    name: textIn(name) ?? '',
    image: isObject(attributes) ? textIn(attributes['image']) : undefined,
    value: numberIn(value),
  }))
  return { metric, rows }
}

const factsIn = (value: unknown) =>
  Object.entries(isObject(value) ? value : {}).filter(
    (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
  )

function checkOf(check: Unknown): EvidenceCheck {
  const { error } = check
  const answer = isObject(check['answer']) ? check['answer'] : {}
  return {
    region: textIn(check['region']) ?? '',
    outcome: textIn(check['outcome']),
    failedPhase: textIn(check['failed_phase']),
    statusCode: numberIn(check['status_code']),
    responseMs: numberIn(check['response_ms']),
    error: isObject(error) ? textIn(error['message']) : undefined,
    address: textIn(check['address']),
    facts: factsIn(check['facts']),
    certificateExpiresAt: textIn(check['certificate_expires_at']),
    statusLine: textIn(answer['status_line']),
    body: textIn(answer['body']),
    checkedAt: textIn(check['checked_at']),
    times: Object.fromEntries(CHECK_PHASES.map((phase) => [`${phase}_ms`, numberIn(check[`${phase}_ms`]) ?? null])) as PhaseTimes,
  }
}

function hostOf(host: unknown): EvidenceHost | undefined {
  if (!isObject(host)) return undefined
  const id = textIn(host['server_id'])
  if (id === undefined) return undefined
  return {
    id,
    name: textIn(host['name']) ?? id,
    sampledAt: textIn(host['sampled_at']),
    values: Object.entries(host).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    processes: objectsIn(host['top_processes']).map((process) => ({
      pid: numberIn(process['pid']) ?? 0,
      name: textIn(process['name']) ?? '',
      cpuPercent: numberIn(process['cpu_percent']),
      memoryBytes: numberIn(process['memory_bytes']),
    })),
  }
}

/** Evidence has at most 1 KiB of a response, less up to three bytes of a character that would not fit. */
const MOST_BYTES = 1_024
export const isCut = (body: string): boolean => new TextEncoder().encode(body).length > MOST_BYTES - 4
