import { nextExpected, scheduleFaults, type HeartbeatSchedule } from '@vedette/shared/tables'
import type { Draft } from '../draft.ts'
import { shellWords } from './shell-words.ts'

/** Crontab lines, timers of systemd, and times in words, each as a heartbeat. */

/** Lines of a crontab that are proposed. */
const MAX_LINES = 5
const GRACE = { minimum: 60, maximum: 3_600 }

const isValid = (schedule: object): boolean => scheduleFaults(schedule).length === 0

/** Half of the pause between two pings, within reason. */
function withGrace(schedule: object): HeartbeatSchedule | undefined {
  const whole = { ...schedule, grace_seconds: GRACE.maximum } as HeartbeatSchedule
  if (!isValid(whole)) return undefined
  const first = nextExpected(whole, 0)
  const second = first === undefined ? undefined : nextExpected(whole, first)
  const pause = first === undefined || second === undefined ? Infinity : (second - first) / 1_000
  return { ...whole, grace_seconds: Math.min(Math.max(Math.floor(pause / 2), GRACE.minimum), GRACE.maximum) }
}

function heartbeat(schedule: object, name = ''): Draft[] {
  const valid = withGrace(schedule)
  return valid ? [{ type: 'heartbeat', ...(name !== '' && { name }), options: { schedule: valid } }] : []
}

export function readSchedule(text: string, timeZone: string): Draft[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !/^[A-Z_]+ ?= ?\S*$/.test(line))
  return lines.slice(0, MAX_LINES).flatMap((line) => ofLine(line, timeZone))
}

function ofLine(line: string, timeZone: string): Draft[] {
  const text = line.replace(/^(?:-\s*)?(?:cron|schedule|oncalendar)\s*[:=]\s*/i, '').replace(/^(["'])(.*)\1$/, '$2')
  const cron = crontabLine(text, timeZone)
  if (cron.length > 0) return cron
  const inWords = timeInWords(text.toLowerCase(), timeZone)
  if (inWords.length > 0) return inWords
  // A word alone would be a calendar too.
  const isCalendar = /^[A-Za-z0-9*,./~: -]{1,200}$/.test(text) && /[*:]/.test(text)
  return isCalendar ? heartbeat({ on_calendar: text, time_zone: timeZone }) : []
}

function crontabLine(text: string, timeZone: string): Draft[] {
  const [, zone, rest = ''] = /^(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/.exec(text) ?? []
  const count = rest.startsWith('@') ? 1 : 5
  const expression = new RegExp(String.raw`^(?:\S+\s+){${count - 1}}\S+`).exec(rest)?.[0] ?? ''
  if (count === 5 && !/^[\d*]/.test(expression)) return []
  return heartbeat(
    { cron: expression.replaceAll(/\s+/g, ' '), time_zone: zone ?? timeZone },
    nameOfJob(rest.slice(expression.length)),
  )
}

/** What starts another program. */
const STARTERS =
  /^(?:sudo|env|sh|bash|dash|zsh|nice|ionice|timeout|flock|chronic|cronic|time|exec|nohup|setsid|python\d*(?:\.\d+)?|node|php|perl|ruby|root|cd|test|\[)$/

/** The program that a line starts, which is never one of its arguments: these may be secrets. */
function nameOfJob(command: string): string {
  const words = shellWords(command.slice(0, 1_000))
  // The crontab of the system has a user first.
  const isUser = /^[a-z_][a-z0-9_-]*$/.test(words[0] ?? '') && (words[1] ?? '').startsWith('/')
  for (const word of words.slice(isUser ? 1 : 0)) {
    if (/^\w+=/.test(word) || word.startsWith('-') || /^\d/.test(word)) continue
    if (!/^[\w./@+-]{1,200}$/.test(word)) return ''
    const program = word.slice(word.lastIndexOf('/') + 1)
    if (!STARTERS.test(program)) return program.replace(/\.(?:sh|bash|py|pl|php|rb|js|mjs|ts)$/, '').slice(0, 100)
    if (program === 'cd' || program === 'test' || program === '[') return ''
  }
  return ''
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:s|secs?|seconds?|sekunden?)$/, 1],
  [/^(?:m|mins?|minutes?|minuten?)$/, 60],
  [/^(?:h|hrs?|hours?|stunden?)$/, 3_600],
  [/^(?:d|days?|tage?n?)$/, 86_400],
  [/^(?:w|weeks?|wochen?)$/, 604_800],
]
const secondsOf = (unit: string): number | undefined => UNITS.find(([pattern]) => pattern.test(unit))?.[1]

const DAYS = [
  ['sunday', 'sonntag'],
  ['monday', 'montag'],
  ['tuesday', 'dienstag'],
  ['wednesday', 'mittwoch'],
  ['thursday', 'donnerstag'],
  ['friday', 'freitag'],
  ['saturday', 'samstag', 'sonnabend'],
]
const NAMED: Readonly<Record<string, string>> = {
  hourly: '0 * * * *',
  stündlich: '0 * * * *',
  daily: '0 0 * * *',
  täglich: '0 0 * * *',
  nightly: '0 2 * * *',
  nächtlich: '0 2 * * *',
  weekly: '0 0 * * 0',
  wöchentlich: '0 0 * * 0',
  monthly: '0 0 1 * *',
  monatlich: '0 0 1 * *',
}

/** `every 5 minutes`, `daily at 2:30`, `jeden Montag um 9 Uhr`, `10 min`. */
function timeInWords(text: string, timeZone: string): Draft[] {
  const cron = (expression: string) => heartbeat({ cron: expression, time_zone: timeZone })
  const [, what = '', hour, minute = '0'] = /^(.*?)(?: (?:at|um) (\d{1,2})(?:[:.](\d{2}))?(?: uhr)?)?$/.exec(text) ?? []
  const [, every = '', number, word = ''] =
    /^(every|each|once (?:an?|per)|alle|jede[nrs]?)? ?(\d{1,5})? ?([a-zäöü]+)$/.exec(what) ?? []
  const day = DAYS.findIndex((names) => names.some((name) => word === name || word === `${name}s`))
  const at = `${Number(minute)} ${Number(hour ?? '0')} * * `
  if (day !== -1 && (every !== '' || hour !== undefined)) return cron(`${at}${day}`)
  const named = NAMED[word]
  if (every === '' && number === undefined && named !== undefined)
    return cron(hour === undefined ? named : named.replace(/^\S+ \S+/, `${Number(minute)} ${Number(hour)}`))
  const unit = secondsOf(word)
  if (unit === undefined || (every === '' && number === undefined)) return []
  const seconds = Number(number ?? '1') * unit
  return hour !== undefined && seconds === 86_400 ? cron(`${at}*`) : heartbeat({ period_seconds: seconds })
}
