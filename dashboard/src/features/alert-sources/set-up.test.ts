import { describe, expect, it } from 'vitest'
import { NEW_SOURCE, toCreateBody, toSourceInput } from './input.ts'
import { setUpLines } from './set-up.ts'

describe('what is entered at the sender of alerts', () => {
  it.each([
    ['alertmanager', 'https://watch.example/v1/in/vdt_in_abc', '      - url: https://watch.example/v1/in/vdt_in_abc'],
    [
      'alertmanager_api',
      'https://a.example:8443/b/v1/in/alertmanager/vdt_in_abc',
      '      path_prefix: /b/v1/in/alertmanager/vdt_in_abc',
    ],
    ['alertmanager_api', 'http://a.example:8443/v1/in/alertmanager/vdt_in_abc', "        - targets: ['a.example:8443']"],
    ['alertmanager_api', 'http://a.example:8443/v1/in/alertmanager/vdt_in_abc', '    - scheme: http'],
    ['pagerduty_v2', 'https://a.example/v1/in/pagerduty/vdt_in_abc', 'https://a.example/v1/in/pagerduty/vdt_in_abc/v2/enqueue'],
    ['opsgenie', 'https://a.example/v1/in/opsgenie/vdt_in_abc', 'https://a.example/v1/in/opsgenie/vdt_in_abc'],
    ['email', 'alerts+vdt_in_abc@', 'alerts+vdt_in_abc@'],
    ['generic', 'https://a.example/v1/in/vdt_in_abc', '  https://a.example/v1/in/vdt_in_abc'],
  ] as const)('of %s at %s has the line %s', (type, address, line) => expect(setUpLines(type, address)).toContain(line))
})

describe('an alert source that is edited', () => {
  const typed = {
    ...NEW_SOURCE,
    name: ' Zabbix ',
    type: 'generic' as const,
    severityMap: 'Not classified = info\n\na=b = critical',
    tagLabels: 'team, team,site ,',
    resolveAfter: '2 h',
    routes: [{ key: 1, labels: 'team = shop\nexpr=a=b,c', policy: 'esp_1' }],
    template: { ...NEW_SOURCE.template, title: '{{ body.name }}' },
  }

  it('is sent as the API reads it', () => {
    expect(toCreateBody(typed)).toMatchObject({
      name: 'Zabbix',
      severity_map: { 'Not classified': 'info', 'a=b': 'critical' },
      tag_labels: ['team', 'site'],
      group_by: [],
      routes: [{ labels: { team: 'shop', expr: 'a=b,c' }, escalation_policy_id: 'esp_1' }],
      resolve_after_seconds: 7_200,
      max_open: 1_000,
      template: { title: '{{ body.name }}' },
    })
  })

  it('of another sender than JSON has no templates', () => {
    expect(toCreateBody({ ...typed, type: 'zabbix' }).template).toBeNull()
  })

  it('is shown as it was typed', () => {
    const stored = { ...toCreateBody(typed), channel_ids: [], tags: [] }
    const input = toSourceInput(stored as never)
    expect(toCreateBody(input)).toEqual(toCreateBody(typed))
    expect(input.resolveAfter).toBe('2 h')
  })
})
