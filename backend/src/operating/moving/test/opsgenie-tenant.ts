/** An Opsgenie account of our own, in the form of its configuration backup. */
export const TENANT: Readonly<Record<string, unknown>> = {
  'users/ada@example.com-u1.json': {
    user: { id: 'u1', username: ' Ada@Example.com', fullName: 'Ada' },
    notificationRuleList: [{ id: 'n1' }, { id: 'n2' }],
    contactList: [{ method: 'sms' }, { method: 'sms' }, { method: 'voice' }, { method: 'email' }],
  },
  'users/ben@example.com-u2.json': { user: { id: 'u2', username: 'ben@example.com' } },
  'users/cem@example.com-u3.json': { user: { id: 'u3', username: 'cem@example.com', blocked: true } },
  'users/dee@example.com-u4.json': { user: { id: 'u4', username: 'dee@example.com' } },
  'teams/ops-t1.json': {
    team: {
      id: 't1',
      name: 'ops',
      members: [
        { user: { id: 'u1', username: 'ada@example.com' }, role: 'admin' },
        { user: { id: 'u2', username: 'ben@example.com' }, role: 'user' },
      ],
    },
    teamRoutingRules: [{ isDefault: true, notify: { type: 'escalation', id: 'e1' } }],
  },
  // A name with a slash is a folder in the backup.
  'schedules/shop/night-s1.json': {
    schedule: {
      id: 's1',
      name: 'shop/night',
      timezone: 'Europe/Berlin',
      enabled: true,
      rotations: [
        {
          id: 'r1',
          name: 'Nights',
          type: 'WEEKLY',
          length: 1,
          startDate: '2026-11-02T08:00:00+01:00',
          participants: [
            { type: 'user', id: 'u1', username: 'ada@example.com' },
            { type: 'user', id: 'u2', username: 'ben@example.com' },
          ],
          timeRestriction: { type: 'time-of-day', restriction: { startHour: 18, startMin: 0, endHour: 8, endMin: 0 } },
        },
        {
          id: 'r2',
          name: 'Days',
          type: 'hourly',
          length: 12,
          startDate: '2026-11-02T07:00:00Z',
          participants: [{ type: 'user', id: 'u2' }, { type: 'none' }],
          timeRestriction: { type: 'time-of-day', restriction: { startHour: 8, startMin: 0, endHour: 18, endMin: 0 } },
        },
        {
          id: 'r3',
          name: 'Old',
          type: 'daily',
          length: 1,
          startDate: '2020-01-01T08:00:00Z',
          endDate: '2026-11-29T08:00:00Z',
          participants: [{ type: 'user', id: 'u1' }],
        },
      ],
    },
    scheduleOverrideList: [
      {
        alias: 'o1',
        user: { type: 'user', id: 'u1', username: 'ada@example.com' },
        startDate: '2026-12-01T18:00:00Z',
        endDate: '2026-12-02T08:00:00Z',
      },
      { alias: 'o0', user: { type: 'user', id: 'u1' }, startDate: '2026-11-01T18:00:00Z', endDate: '2026-11-02T08:00:00Z' },
    ],
  },
  'schedules/both-s2.json': {
    schedule: {
      id: 's2',
      name: 'both',
      timezone: 'UTC',
      rotations: [
        {
          id: 'r4',
          name: 'First',
          type: 'daily',
          length: 2,
          startDate: '2026-11-02T08:00:00Z',
          participants: [
            { type: 'user', id: 'u1' },
            { type: 'team', id: 't1', name: 'ops' },
          ],
        },
        {
          id: 'r5',
          name: 'Weekend',
          type: 'weekly',
          length: 1,
          startDate: '2026-11-02T08:00:00Z',
          endDate: '2027-06-01T00:00:00Z',
          participants: [
            { type: 'user', id: 'u3' },
            { type: 'user', id: 'u2' },
          ],
          timeRestriction: {
            type: 'weekday-and-time-of-day',
            restrictions: [{ startDay: 'FRIDAY', startHour: 18, startMin: 0, endDay: 'MONDAY', endHour: 8, endMin: 0 }],
          },
        },
      ],
    },
  },
  'schedules/odd-s3.json': {
    schedule: { id: 's3', name: 'odd', timezone: 'Mars/Olympus', rotations: [] },
  },
  'escalations/shop-e1.json': {
    id: 'e1',
    name: 'shop',
    rules: [
      {
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: 0, timeUnit: 'minutes' },
        recipient: { type: 'schedule', id: 's2', name: 'both' },
      },
      {
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: 1, timeUnit: 'hours' },
        recipient: { type: 'user', id: 'u2' },
      },
      {
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: 5, timeUnit: 'minutes' },
        recipient: { type: 'user', id: 'u1' },
      },
      {
        condition: 'if-not-acked',
        notifyType: 'next',
        delay: { timeAmount: 5, timeUnit: 'minutes' },
        recipient: { type: 'schedule', id: 's1' },
      },
    ],
    repeat: { waitInterval: 10, count: 3, resetRecipientStates: false, closeAlertAfterAll: false },
  },
  'escalations/nobody-e2.json': {
    id: 'e2',
    name: 'nobody',
    rules: [
      {
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: 0, timeUnit: 'minutes' },
        recipient: { type: 'user', id: 'u3' },
      },
    ],
  },
  'integrations/i1.json': {
    integration: { id: 'i1', name: 'Prometheus', type: 'Prometheus', enabled: true, ownerTeam: { id: 't1' } },
  },
  'maintenance/m1.json': {
    id: 'm1',
    description: 'Deploy',
    time: { type: 'schedule', startDate: '2026-12-06T22:00:00Z', endDate: '2026-12-06T23:00:00Z' },
    rules: [{ entity: { id: 'i1', type: 'integration' } }],
  },
  'maintenance/m0.json': {
    id: 'm0',
    description: 'Past',
    time: { startDate: '2026-01-01T00:00:00Z', endDate: '2026-01-01T01:00:00Z' },
  },
  'heartbeats.json': { data: { heartbeats: [{ name: 'Backup', interval: 1, intervalUnit: 'days', enabled: true }] } },
  'policiesV2/p1.json': { id: 'p1', name: 'Quiet' },
}
