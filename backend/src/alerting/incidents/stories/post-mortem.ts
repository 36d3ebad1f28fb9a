import type { IncidentStory, Severity, StoryEvent, StoryEventKind } from '@vedette/shared'
import { type Language, translate } from '../../../platform/language/index.ts'

interface Texts {
  kinds: Readonly<Record<StoryEventKind, string>>
  severity: string
  severities: Readonly<Record<Severity, string>>
  began: string
  acknowledged: string
  resolved: string
  no: string
  duration: string
  notResolved: string
  incidents: string
  cause: string
  affected: string
  targets: Readonly<Record<IncidentStory['affected']['targets'][number]['type'], string>>
  more: (count: number) => string
  happened: string
  unlisted: string
  notified: string
  nobody: string
  open: readonly string[]
  toBeWritten: string
  times: (count: number) => string
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    kinds: {
      opened: 'Opened',
      silenced: 'Suppressed',
      unsilenced: 'No longer suppressed',
      flapping: 'Flapping',
      stable: 'No longer flapping',
      notified: 'Notified',
      acknowledged: 'Acknowledged',
      reopened: 'Reopened',
      resolved: 'Resolved',
      comment: 'Comment',
      annotation: 'Annotation',
      change: 'Change',
      restart: 'Restart',
      update: 'Update',
      backend: 'Vedette',
      post: 'Status page',
    },
    severity: 'Severity',
    severities: { critical: 'critical', warning: 'warning', info: 'info' },
    began: 'Began',
    acknowledged: 'Acknowledged',
    resolved: 'Resolved',
    no: 'no',
    duration: 'Duration',
    notResolved: 'not resolved',
    incidents: 'Incidents',
    cause: 'Cause',
    affected: 'What was affected',
    targets: { monitor: 'monitor', server: 'server', slo: 'SLO', series: 'series', external: 'external' },
    more: (count) => `and ${count} more`,
    happened: 'What happened',
    unlisted: '… more happened than is listed',
    notified: 'Who was notified',
    nobody: 'nobody',
    open: ['Why it happened', 'What went well', 'What went badly', 'What we change'],
    toBeWritten: 'To be written.',
    times: (count) => `${count} times`,
  },
  de: {
    kinds: {
      opened: 'Geöffnet',
      silenced: 'Unterdrückt',
      unsilenced: 'Nicht mehr unterdrückt',
      flapping: 'Wechselt ständig',
      stable: 'Wechselt nicht mehr',
      notified: 'Benachrichtigt',
      acknowledged: 'Quittiert',
      reopened: 'Wieder geöffnet',
      resolved: 'Gelöst',
      comment: 'Kommentar',
      annotation: 'Anmerkung',
      change: 'Änderung',
      restart: 'Neustart',
      update: 'Aktualisierung',
      backend: 'Vedette',
      post: 'Statusseite',
    },
    severity: 'Schwere',
    severities: { critical: 'kritisch', warning: 'Warnung', info: 'Hinweis' },
    began: 'Begonnen',
    acknowledged: 'Quittiert',
    resolved: 'Gelöst',
    no: 'nein',
    duration: 'Dauer',
    notResolved: 'nicht gelöst',
    incidents: 'Vorfälle',
    cause: 'Ursache',
    affected: 'Was betroffen war',
    targets: { monitor: 'Monitor', server: 'Server', slo: 'SLO', series: 'Zeitreihe', external: 'extern' },
    more: (count) => `und ${count} weitere`,
    happened: 'Was geschah',
    unlisted: '… mehr geschah, als hier steht',
    notified: 'Wer benachrichtigt wurde',
    nobody: 'niemand',
    open: ['Warum es geschah', 'Was gut lief', 'Was schlecht lief', 'Was wir ändern'],
    toBeWritten: 'Noch zu schreiben.',
    times: (count) => `${count}-mal`,
  },
}

/** A post-mortem with what is known; what people must add is a heading with a line in italics. Times are UTC. Pure. */
export function toPostMortem(story: IncidentStory, language: Language = 'en'): string {
  const text = TEXTS[language]
  const say = (sentence: string) => translate(sentence, language)
  const { title, severity, opened_at: openedAt, resolved_at: resolvedAt, incident_count: count, affected, cause } = story
  const others = affected.total - affected.targets.length
  const duration = resolvedAt === null ? text.notResolved : lengthText(Date.parse(resolvedAt) - Date.parse(openedAt))
  const acknowledged = story.events.find(({ kind }) => kind === 'acknowledged')
  return [
    `# ${inline(say(title))}`,
    '',
    '| | |',
    '|---|---|',
    `| ${text.severity} | ${text.severities[severity]} |`,
    `| ${text.began} | ${timeText(openedAt)} |`,
    `| ${text.acknowledged} | ${acknowledged ? timeText(acknowledged.at) : text.no} |`,
    `| ${text.resolved} | ${resolvedAt === null ? text.no : timeText(resolvedAt)} |`,
    `| ${text.duration} | ${duration} |`,
    `| ${text.incidents} | ${count} |`,
    ...(cause ? [`| ${text.cause} | ${inline(say(cause.text))} |`] : []),
    '',
    `## ${text.affected}`,
    '',
    ...affected.targets.map(({ type, name }) => `- ${inline(name)} (${text.targets[type]})`),
    ...(others > 0 ? [`- ${text.more(others)}`] : []),
    '',
    `## ${text.happened}`,
    '',
    ...story.events.map((event) => eventLine(event, language)),
    ...(story.has_more ? [`- ${text.unlisted}`] : []),
    '',
    `## ${text.notified}`,
    '',
    ...(story.notified.length > 0 ? story.notified.map(({ name, type }) => `- ${inline(name)} (${type})`) : [`- ${text.nobody}`]),
    '',
    ...text.open.flatMap((heading) => [`## ${heading}`, '', `_${text.toBeWritten}_`, '']),
  ].join('\n')
}

function eventLine({ at, kind, text, count, targets, actor, url }: StoryEvent, language: Language): string {
  const texts = TEXTS[language]
  const isOfPeople = kind === 'comment' || kind === 'annotation' || kind === 'post'
  const said = isOfPeople ? text : translate(text, language)
  const others = count - targets.length
  const names = `${targets.map(inline).join(', ')}${others > 0 && targets.length > 0 ? ` ${texts.more(others)}` : ''}`
  const what =
    count > 1
      ? `${texts.times(count)}: ${names}`
      : [inline(said), kind === 'change' && names !== '' ? names : ''].filter(Boolean).join(': ')
  const by = actor === null ? '' : ` (${inline(actor)})`
  return `- ${timeText(at)} **${texts.kinds[kind]}** ${what}${by}${url === null ? '' : ` <${url.replaceAll('>', '%3E').replaceAll('<', '%3C')}>`}`
}

/** On one line, without markup: names and comments are text of others. */
const inline = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&-]/g, (mark) => `\\${mark}`)

const timeText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)}`

function lengthText(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return hours > 0 ? `${hours} h ${rest} min` : `${minutes} min`
}
