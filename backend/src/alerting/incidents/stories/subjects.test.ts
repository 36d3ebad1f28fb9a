import { HEALTH_CODES, healthMetricOf, type HealthCode } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { saysTheSame, type SubjectEvidence, subjectsOf } from './subjects.ts'

const about = (metric: string, evidence: SubjectEvidence = {}) =>
  subjectsOf({ metric, operator: 'equals', mount: null, entity_name: null, expression: null }, evidence)
const finding = (code: HealthCode, field: string, id: string | null = null) =>
  about(healthMetricOf(code), { findings: [{ entity_id: id, field }] })
const disk = (code: HealthCode, id = 'ent_sda') => finding(code, 'healthy', id)
const full = (mount: string) => about('filesystem.percent', { mount })

describe('incidents of one target say the same', () => {
  it.each([
    ['a threshold and a finding of one filesystem', full('/var'), finding('filesystem_full', '/var')],
    ['a forecast and a finding of one filesystem', finding('fills_soon', '/var'), finding('inodes_full', '/var')],
    ['a forecast rule and a threshold', about('filesystem.days_until_full', { mount: '/' }), full('/')],
    ['the memory that is full and that tasks wait for', about('memory.percent'), finding('pressure', 'full_percent', 'ent_p')],
    [
      'findings of one container',
      finding('container_oom', 'oom_kills', 'ent_a'),
      finding('container_exited', 'deaths_day', 'ent_a'),
    ],
    ['findings of one disk', disk('disk_failing'), disk('disk_worn')],
    ['the memory that is full and that will be', about('memory.percent'), about('memory.days_until_full')],
    ['a rule and a finding of a restart', about('host.reboot_required'), finding('reboot_required', 'reboot_required')],
    ['the counted and the named failed units', about('host.failed_units'), finding('unit_failed', 'failed')],
    [
      'a rule on a field and the finding by it',
      about('entity.container.healthy', { entities: [{ entity_id: 'ent_a' }] }),
      finding('container_unhealthy', 'healthy', 'ent_a'),
    ],
  ])('%s', (_, one, other) => expect(saysTheSame(one, other)).toBe(true))
})

describe('incidents of one target do not say the same', () => {
  it.each([
    [
      'two rules on one metric that no finding is about',
      about('cpu.percent'),
      subjectsOf({ metric: 'cpu.percent', operator: 'less_than', mount: null, entity_name: null, expression: null }),
    ],
    ['two filesystems', full('/var'), finding('filesystem_full', '/')],
    ['two containers', finding('container_oom', 'oom_kills', 'ent_a'), finding('container_exited', 'deaths_day', 'ent_b')],
    [
      'the load of a container and its end',
      about('entity.container.cpu_percent', { entities: [{ entity_id: 'ent_a' }] }),
      disk('container_exited', 'ent_a'),
    ],
    ['its status and what is found', about('status'), finding('filesystem_full', '/')],
    [
      'evidence of an earlier version',
      about('entity.container.healthy', { entities: [{}] }),
      about('health.container_unhealthy'),
    ],
  ])('%s', (_, one, other) => expect(saysTheSame(one, other)).toBe(false))

  it('findings of all kinds about different things', () => {
    const filesystem = new Set(['filesystem_full', 'inodes_full', 'fills_soon'])
    for (const one of HEALTH_CODES)
      for (const other of HEALTH_CODES) {
        if (one === other) continue
        const of = (code: HealthCode, name: string) =>
          filesystem.has(code) ? finding(code, `/${name}`) : finding(code, 'x', name)
        expect([one, other, saysTheSame(of(one, 'a'), of(other, 'b'))]).toEqual([one, other, false])
        const isOneThing = filesystem.has(one) === filesystem.has(other)
        expect([one, other, saysTheSame(of(one, 'a'), of(other, 'a'))]).toEqual([one, other, isOneThing])
      }
  })
})
