import { HEALTH_CODES, HEALTH_FINDINGS } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { translate } from '../../platform/language/index.ts'
import { DECLARATIONS } from './declarations.ts'
import type { Thing } from './thing.ts'

describe('what is found of a host has a German sentence', () => {
  const named = (declaration: (typeof DECLARATIONS)[number], own: Partial<Thing> = {}): Thing => ({
    kind: declaration.kind,
    name: declaration.kind === 'limit' ? 'conntrack' : 'qx',
    entityId: null,
    attributes: {},
    values: {},
    ...own,
  })
  const variants: Partial<Thing>[] = [
    {},
    { values: { failed_devices: 1, devices: 4, charge_percent: 80, exit_code: 137 } },
    { values: { errors: 3 } },
    { attributes: { state: 'FAULTED' } },
  ]
  it.each(DECLARATIONS.map((one) => [one.code, one.field, one] as const))('%s by %s', (_code, _field, declaration) => {
    for (const variant of variants)
      for (const value of [1, 2.5, 312]) {
        const english = declaration.text(named(declaration, variant), value, 90)
        expect([english, translate(english, 'de')]).not.toEqual([english, english])
        expect(translate(english, 'de')).not.toMatch(/\b(?:the|is|are|has|have|limit|since|not|full|time|times)\b/)
      }
  })

  it.each(HEALTH_CODES)('the rule of %s has a German name', (code) => {
    const { name } = HEALTH_FINDINGS[code]
    expect(translate(name, 'de')).not.toBe(name)
  })
})
