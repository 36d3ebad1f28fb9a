/** An account of Opsgenie in the form of its configuration backup, by the paths of its files. */
export function tenantOf({ schedules, people }: { schedules: number; people: number }): Record<string, unknown> {
  const files: Record<string, unknown> = {}
  const nameOf = (index: number) => `person-${index % people}@example.com`
  for (let index = 0; index < people; index += 1)
    files[`users/u${index}.json`] = {
      user: { id: `u${index}`, username: nameOf(index), fullName: `Person ${index}` },
      notificationRuleList: Array.from({ length: 10 }, (_, rule) => ({ id: `n${index}-${rule}` })),
    }
  for (let index = 0; index < schedules; index += 1) {
    const participants = (from: number, count: number) =>
      Array.from({ length: count }, (_, offset) => ({ type: 'user', username: nameOf(index * 7 + from + offset) }))
    const rotation = { startDate: '2026-01-05T08:00:00Z', length: 1 }
    files[`schedules/s${index}.json`] = {
      schedule: {
        id: `s${index}`,
        name: `Team ${index}`,
        timezone: index % 2 === 0 ? 'Europe/Berlin' : 'America/New_York',
        enabled: true,
        rotations: [
          { ...rotation, id: `r${index}`, name: 'Weeks', type: 'weekly', participants: participants(0, 5) },
          {
            ...rotation,
            id: `d${index}`,
            name: 'Days',
            type: 'daily',
            participants: participants(5, 2),
            timeRestriction: { type: 'time-of-day', restriction: { startHour: 9, startMin: 0, endHour: 17, endMin: 0 } },
          },
        ],
      },
    }
    files[`escalations/e${index}.json`] = {
      id: `e${index}`,
      name: `Policy ${index}`,
      rules: [0, 15].map((minutes) => ({
        condition: 'if-not-acked',
        notifyType: 'default',
        delay: { timeAmount: minutes, timeUnit: 'minutes' },
        recipient: minutes === 0 ? { type: 'schedule', id: `s${index}` } : { type: 'user', username: nameOf(index) },
      })),
    }
  }
  return files
}
