import { type HealthCode, type HealthFinding, type ServerHealth, type Severity, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'

/** Something that is wrong with a server, as it is stored. */
export interface Finding {
  code: HealthCode
  severity: Severity
  text: string
  sinceMs: number
  entityId: string | null
  /** The field of the entity, or the filesystem. */
  field: string | null
  /** Null for what is or is not. */
  value: number | null
  limit: number | null
}

export interface HeldCondition {
  sinceMs: number
  /** Whether it is a finding. */
  isOpen: boolean
  /** Since when its value is missing, ms. */
  missingMs?: number
  /** What is found while its value is missing. */
  finding?: Finding
}

/** A counter above 0 whose growth is a finding: the value, and when it last grew, ms. */
export interface GrowingCounter {
  value: number
  grewMs: number | null
  /** Since when its value is missing, ms. */
  missingMs?: number
}

/** What the next derivation needs of this one. */
export interface HealthMemory {
  /** Conditions that hold, by their key. */
  held: Readonly<Record<string, HeldCondition>>
  /** Counters by their key. */
  counters: Readonly<Record<string, GrowingCounter>>
}

/** Findings are stored worst first. */
export function toServerHealth(findings: readonly Finding[], hasTexts: boolean): ServerHealth {
  return { status: findings[0]?.severity ?? 'ok', findings: findings.map((finding) => toWireFinding(finding, hasTexts)) }
}

export function toWireFinding(finding: Finding, hasText = true): HealthFinding {
  const { code, severity, text, sinceMs, entityId, field, value, limit } = finding
  return {
    code,
    severity,
    ...(hasText && { text }),
    since: toTimestamp(sinceMs),
    entity_id: entityId === null ? null : encodeId('entity', entityId),
    field,
    value,
    limit,
  }
}
