import { ENTITY_KIND_NAMES, ENTITY_KINDS, type EntityUnit } from '@vedette/shared/tables'
import { describe, expect, it } from 'vitest'
import { entities as german } from '../messages/de/entities.ts'
import { entities as english } from '../messages/en/entities.ts'
import { attributeName, entityMetricLabel, fieldsOf, formatOf } from './entity-texts.ts'

const FIELDS = ENTITY_KIND_NAMES.flatMap((kind) => fieldsOf(kind).map(([name]) => name))
const ATTRIBUTES = ENTITY_KIND_NAMES.flatMap((kind) => [...ENTITY_KINDS[kind].attributes])
const sorted = (names: readonly string[]) => [...new Set(names)].toSorted()

describe('the texts of entities', () => {
  it.each([
    ['en', english],
    ['de', german],
  ])('in %s have a label for each kind, field and attribute, and none for others', (_language, { kinds, fields, attributes }) => {
    expect(sorted(Object.keys(kinds))).toEqual(sorted(ENTITY_KIND_NAMES))
    expect(sorted(Object.keys(fields))).toEqual(sorted(FIELDS))
    expect(sorted(Object.keys(attributes))).toEqual(sorted(ATTRIBUTES))
  })

  it('show what the page does not know by its API name', () => expect(attributeName('colour')).toBe('colour'))

  it.each<[EntityUnit, number, string]>([
    ['percent', 12.34, '12.3 %'],
    ['bytes', 1_500_000, '1.5 MB'],
    ['rate', 2_000, '2.0 kB/s'],
    ['count', 12_345.4, '12,345'],
    ['seconds', 5_400, '1 h 30 min'],
    ['days', 12.25, '12.3 d'],
    ['celsius', 41.46, '41.5 °C'],
    ['rpm', 1_200, '1,200 rpm'],
    ['volts', 12.09, '12.09 V'],
    ['watts', 65.25, '65.3 W'],
    ['flag', 0, 'No'],
    ['flag', 0.5, '50.0 %'],
    ['number', 0.000_123_456_7, '0.000123457'],
  ])('write %s with their unit', (unit, value, text) => {
    expect(formatOf(unit)(value)).toBe(text)
    expect(formatOf(unit)(null)).toBe('–')
  })

  it('give a threshold its unit', () => {
    expect(entityMetricLabel('entity.battery.runtime_seconds', 'BAT*')).toEqual({ name: 'Battery BAT*: Runtime', unit: 's' })
    expect(entityMetricLabel('entity.container.restarts')).toEqual({ name: 'Container: Restarts', unit: '' })
    expect(entityMetricLabel('cpu.percent')).toBeUndefined()
  })
})
