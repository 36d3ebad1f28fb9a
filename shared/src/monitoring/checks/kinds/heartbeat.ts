import { isSlug, MAX_SLUG_LENGTH, PING_TOKEN } from '../../heartbeats/names.ts'
import { scheduleFaults } from '../../heartbeats/schedule.ts'
import type { CheckKindSpec } from './kind.ts'

/** Waits for pings of a job instead of sending requests. Its interval follows from the schedule, and it has one region. */
export const heartbeat = {
  label: 'Heartbeat',
  description: 'Waits for pings of a job, and is down when one does not come in time or reports a failure.',
  protocols: ['heartbeat:'],
  example: 'heartbeat://nightly-backup',
  defaultUrl: 'heartbeat://',
  mayLackHost: true,
  options: { schedule: { label: 'Schedule', form: 'own' } },
  credentials: {
    token: {
      label: 'Ping token',
      hint: 'Empty: a new one is made. Tokens of Healthchecks and Uptime Kuma can be taken over.',
      maxLength: PING_TOKEN.maximum,
      // It comes in with pings.
      sentTo: () => [],
    },
  },
  observes: [],
  facts: {
    duration: {
      label: 'Duration',
      operators: ['less_than', 'greater_than'],
      valueKinds: ['number'],
      unit: 's',
      bounds: { minimum: 0, maximum: 259_200 },
      degradesOnly: true,
    },
  },
  faults: ({ url, options, credentials }) => [
    ...scheduleFaults(options.schedule),
    ...(url.hostname === '' || (isSlug(url.hostname) && url.href === `heartbeat://${url.hostname}`)
      ? []
      : [
          {
            path: 'url',
            message: `must be heartbeat:// and a name of 1 to ${MAX_SLUG_LENGTH} of a-z, 0-9, - and _, which is not start, fail, log or a number alone`,
          },
        ]),
    ...(credentials.token === undefined || PING_TOKEN.pattern.test(credentials.token)
      ? []
      : [
          {
            path: 'credentials.token',
            message: `must have ${PING_TOKEN.minimum} to ${PING_TOKEN.maximum} of A-Z, a-z, 0-9, - and _`,
          },
        ]),
  ],
} as const satisfies CheckKindSpec
