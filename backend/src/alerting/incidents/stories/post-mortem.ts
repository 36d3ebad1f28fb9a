import type { IncidentStory, StoryEvent, StoryEventKind } from '@vedette/shared'

const KINDS: Readonly<Record<StoryEventKind, string>> = {
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
}

/** A post-mortem with what is known; what people must add is a heading with a line in italics. Times are UTC. Pure. */
export function toPostMortem(story: IncidentStory): string {
  const { title, severity, opened_at: openedAt, resolved_at: resolvedAt, incident_count: count, affected, cause } = story
  const others = affected.total - affected.targets.length
  const duration = resolvedAt === null ? 'not resolved' : lengthText(Date.parse(resolvedAt) - Date.parse(openedAt))
  const acknowledged = story.events.find(({ kind }) => kind === 'acknowledged')
  return [
    `# ${inline(title)}`,
    '',
    '| | |',
    '|---|---|',
    `| Severity | ${severity} |`,
    `| Began | ${timeText(openedAt)} |`,
    `| Acknowledged | ${acknowledged ? timeText(acknowledged.at) : 'no'} |`,
    `| Resolved | ${resolvedAt === null ? 'no' : timeText(resolvedAt)} |`,
    `| Duration | ${duration} |`,
    `| Incidents | ${count} |`,
    ...(cause ? [`| Cause | ${inline(cause.text)} |`] : []),
    '',
    '## What was affected',
    '',
    ...affected.targets.map(({ type, name }) => `- ${inline(name)} (${type === 'slo' ? 'SLO' : type})`),
    ...(others > 0 ? [`- and ${others} more`] : []),
    '',
    '## What happened',
    '',
    ...story.events.map(eventLine),
    ...(story.has_more ? ['- … more happened than is listed'] : []),
    '',
    '## Who was notified',
    '',
    ...(story.notified.length > 0 ? story.notified.map(({ name, type }) => `- ${inline(name)} (${type})`) : ['- nobody']),
    '',
    ...['Why it happened', 'What went well', 'What went badly', 'What we change'].flatMap((heading) => [
      `## ${heading}`,
      '',
      '_To be written._',
      '',
    ]),
  ].join('\n')
}

function eventLine({ at, kind, text, count, targets, actor, url }: StoryEvent): string {
  const others = count - targets.length
  const names = `${targets.map(inline).join(', ')}${others > 0 && targets.length > 0 ? ` and ${others} more` : ''}`
  const what =
    count > 1
      ? `${count} times: ${names}`
      : [inline(text), kind === 'change' && names !== '' ? names : ''].filter(Boolean).join(': ')
  const by = actor === null ? '' : ` (${inline(actor)})`
  return `- ${timeText(at)} **${KINDS[kind]}** ${what}${by}${url === null ? '' : ` <${url.replaceAll('>', '%3E').replaceAll('<', '%3C')}>`}`
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
