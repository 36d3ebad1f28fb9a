import {
  ENTITY_DECIMALS,
  ENTITY_KIND_NAMES,
  ENTITY_KINDS,
  type EntityField,
  type EntityKindName,
  type EntityKindSpec,
} from '@vedette/shared'

/** A field as blocks store it. */
export interface StoredField extends EntityField {
  name: string
  /** Id of its column. */
  column: number
  /** What a value is multiplied with; undefined: by a power of ten of its own, in the next column. */
  scale: number | undefined
}

const DECIMALS: Readonly<Record<string, number>> = ENTITY_DECIMALS
/** A double holds 15 decimal digits for certain. */
const DIGITS = 15

const specOf = (kind: EntityKindName): EntityKindSpec => ENTITY_KINDS[kind]
const toStoredField = ([name, field]: [string, EntityField]): StoredField => {
  const decimals = DECIMALS[field.unit]
  return { ...field, name, column: 2 * field.id, scale: decimals === undefined ? undefined : 10 ** decimals }
}

const FIELDS = new Map(
  ENTITY_KIND_NAMES.map((kind) => [
    kind,
    Object.entries(specOf(kind).fields)
      .map(toStoredField)
      .sort((one, other) => one.id - other.id),
  ]),
)
const KINDS_BY_ID = new Map(ENTITY_KIND_NAMES.map((kind) => [specOf(kind).id, kind]))

/** The fields of a kind by ascending column. */
export const fieldsOf = (kind: EntityKindName): readonly StoredField[] => FIELDS.get(kind) ?? []
export const idOfKind = (kind: EntityKindName): number => specOf(kind).id
/** Undefined for a kind of a newer version. */
export const kindOfId = (id: number): EntityKindName | undefined => KINDS_BY_ID.get(id)

/** The numbers of a value in its column and, where it has one, in the next; undefined where it is too large. */
export function toStored({ scale }: Pick<StoredField, 'scale'>, value: number): [number, number?] | undefined {
  if (scale !== undefined) {
    const scaled = Math.round(value * scale) + 0
    return Number.isSafeInteger(scaled) ? [scaled] : undefined
  }
  if (!Number.isFinite(value)) return undefined
  // As `1.23450000000000e+7`; zeros at the end stand in the exponent.
  const [digits = '', exponent = '0'] = value.toExponential(DIGITS - 1).split('e')
  const significant = digits.replace('.', '').replace(/0+$/, '')
  return [Number(significant) + 0, Number(exponent) - significant.replace('-', '').length + 1]
}

/** The value; `exponent` is that of the next column. */
export function fromStored({ scale }: Pick<StoredField, 'scale'>, stored: number, exponent = 0): number {
  return scale === undefined ? Number(`${stored}e${exponent}`) : stored / scale
}
