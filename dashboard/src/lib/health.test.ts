import type { HealthFinding } from '@vedette/shared'
import { HEALTH_CODES, HEALTH_FINDINGS } from '@vedette/shared/tables'
import { describe, expect, it } from 'vitest'
import { findings as english } from '../messages/en/findings.ts'
import { withoutIncident } from './health.ts'
import { countByTab } from './health-tabs.ts'

const finding = (code: HealthFinding['code'], text: string): HealthFinding => ({
  code,
  severity: HEALTH_FINDINGS[code].severity,
  text,
  since: '2026-11-21T08:12:14.000Z',
  entity_id: null,
  field: null,
  value: null,
  limit: null,
})
const disk = finding('disk_failing', 'Disk sda has 312 reallocated sectors (limit 50)')
const unit = finding('unit_failed', 'Unit nginx.service has failed')
const restart = finding('reboot_required', 'An update needs a restart of the host')

it('the page names each finding as its default rule does', () => {
  expect(english.codes).toEqual(Object.fromEntries(HEALTH_CODES.map((code) => [code, HEALTH_FINDINGS[code].name])))
})

it('tabs count the problems that they show', () => {
  const worn = finding('disk_worn', 'Disk sda has used 92 % of its rated life (limit 90 %)')
  expect(countByTab({ status: 'critical', findings: [disk, unit, worn, restart] })).toEqual({ storage: 2, services: 1 })
})

describe('problems without an incident', () => {
  const health = { status: 'critical', findings: [disk, unit, restart] } as const
  const incident = (id: string, summary: string) => ({ target: { type: 'server' as const, id, name: 'web-1' }, summary })
  it.each([
    ['all without incidents', [], [disk, unit]],
    ['those of other servers do not count', [incident('srv_2', `web-2: ${disk.text}`)], [disk, unit]],
    [
      'an incident with another value is of the same finding',
      [incident('srv_1', 'web-1: Disk sda has 64 reallocated sectors (limit 50)')],
      [unit],
    ],
    ['an incident may name several', [incident('srv_1', `web-1: ${disk.text}; ${unit.text}`)], []],
    ['an incident of another rule does not', [incident('srv_1', 'web-1: memory 97 % (threshold 95 %)')], [disk, unit]],
  ])('%s', (_, incidents, expected) => {
    expect(withoutIncident('srv_1', { ...health, findings: [...health.findings] }, incidents)).toEqual(expected)
  })
})
