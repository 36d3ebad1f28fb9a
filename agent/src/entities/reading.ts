import { ENTITY_DECIMALS, ENTITY_KINDS, type EntityField, type EntityKindName } from '@vedette/shared/entities/kinds'
import type { EntityReading } from './source.ts'

/** Values by field of the kind, undefined where unknown. */
export type MeasuredEntity<K extends EntityKindName> = {
  [F in keyof (typeof ENTITY_KINDS)[K]['fields']]?: number | undefined
}
export type EntityAttributes<K extends EntityKindName> = {
  [A in (typeof ENTITY_KINDS)[K]['attributes'][number]]?: string | undefined
}

const DECIMALS: Readonly<Record<string, number>> = ENTITY_DECIMALS

/** An entity without its unknown values and attributes, rounded to what is kept. */
export function toReading<K extends EntityKindName>(
  kind: K,
  name: string,
  measured: MeasuredEntity<K>,
  attributes: EntityAttributes<K> = {},
): EntityReading {
  const fields: Readonly<Record<string, EntityField>> = ENTITY_KINDS[kind].fields
  const values: Record<string, number> = {}
  for (const [field, value] of Object.entries<number | undefined>(measured)) {
    const unit = fields[field]?.unit
    if (unit === undefined || value === undefined || !Number.isFinite(value)) continue
    const scale = 10 ** (DECIMALS[unit] ?? 0)
    values[field] = unit === 'number' ? Number(value.toPrecision(15)) : Math.round(value * scale) / scale
  }
  const texts = Object.fromEntries(
    Object.entries<string | undefined>(attributes).filter(([, text]) => text !== undefined && text !== ''),
  ) as Record<string, string>
  return { kind, name, values, ...(Object.keys(texts).length > 0 && { attributes: texts }) }
}
