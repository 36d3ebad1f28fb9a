import type { Named } from '../translation.ts'

const days: Named<'came' | 'late' | 'missed' | 'failed' | 'trouble' | 'none', string> = {
  came: 'in time',
  late: 'late',
  missed: 'missed',
  failed: 'failed',
  trouble: 'not all',
  none: 'none',
}

const kinds: Named<'success' | 'fail' | 'start' | 'log', string> = {
  success: 'Success',
  fail: 'Failure',
  start: 'Start',
  log: 'Log',
}

export const heartbeats = {
  schedule: {
    title: 'Schedule',
    forms: { period: 'Period', cron: 'Cron', on_calendar: 'OnCalendar' },
    form: 'A ping is expected',
    period: 'Period',
    periodHint: 'time between two pings, such as 5m, 1h or 1d',
    cron: 'Crontab line',
    cronHint: 'minute, hour, day, month, weekday: 0 2 * * mon-fri',
    onCalendar: 'OnCalendar expression',
    onCalendarHint: 'as in a timer of systemd: Mon..Fri 02:00',
    timeZone: 'Time zone',
    grace: 'Grace',
    graceHint: 'how late a ping may be, and how long a run may take',
    every: (period: string, grace: string) => `every ${period}, grace ${grace}`,
    at: (expression: string, zone: string, grace: string) => `${expression} (${zone}), grace ${grace}`,
  },
  address: {
    title: 'Ping address',
    lead: 'The job sends a request to this address when it has run. Keep it secret: who knows it can send pings.',
    url: 'Address',
    curl: 'In a script',
    cron: 'In a crontab, with the exit code',
    systemd: 'In a unit of systemd, with start and result',
    replace: 'Replace token',
    replaceTitle: 'Replace the token of the ping address?',
    replaceLead: 'The present address is refused at once. Every job that uses it needs the new one.',
    replaced: 'Token replaced',
  },
  calendar: {
    title: 'Pings of the last weeks',
    caption: 'How the pings of each day went',
    days,
  },
  pings: {
    title: 'Pings',
    expected: (at: string) => `The next ping is expected at ${at}.`,
    late: (at: string, by: string) => `The ping of ${at} is late. Without it the monitor goes down at ${by}.`,
    none: 'No ping yet. Until the first one the monitor is not down.',
    kind: 'Ping',
    time: 'Received',
    duration: 'Duration',
    from: 'From',
    body: 'Output',
    kinds,
    exitCode: (code: number) => `exit code ${code}`,
  },
}
