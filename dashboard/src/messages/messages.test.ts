import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from './language.ts'
import { de } from './de.ts'
import { auditActions as germanActions } from './de/audit-actions.ts'
import { channels as germanChannels } from './de/channels.ts'
import { escalation as germanEscalation } from './de/escalation.ts'
import { entities as germanEntities } from './de/entities.ts'
import { heartbeats as germanHeartbeats } from './de/heartbeats.ts'
import { identityProviders as germanProviders } from './de/identity-providers.ts'
import { metrics as germanMetrics } from './de/metrics.ts'
import { onCall as germanOnCall } from './de/on-call.ts'
import { passkeys as germanPasskeys } from './de/passkeys.ts'
import { replays as germanReplays } from './de/replays.ts'
import { reports as germanReports } from './de/reports.ts'
import { addServer as germanAddServer } from './de/add-server.ts'
import { findings as germanFindings } from './de/findings.ts'
import { rulePreview as germanPreview } from './de/rule-preview.ts'
import { securityEvents as germanSecurity } from './de/security-events.ts'
import { slos as germanSlos } from './de/slos.ts'
import { statusPages as germanPages } from './de/status-pages.ts'
import { windows as germanWindows } from './de/windows.ts'
import { en } from './en.ts'
import { auditActions as englishActions } from './en/audit-actions.ts'
import { channels as englishChannels } from './en/channels.ts'
import { escalation as englishEscalation } from './en/escalation.ts'
import { entities as englishEntities } from './en/entities.ts'
import { heartbeats as englishHeartbeats } from './en/heartbeats.ts'
import { identityProviders as englishProviders } from './en/identity-providers.ts'
import { metrics as englishMetrics } from './en/metrics.ts'
import { onCall as englishOnCall } from './en/on-call.ts'
import { passkeys as englishPasskeys } from './en/passkeys.ts'
import { replays as englishReplays } from './en/replays.ts'
import { reports as englishReports } from './en/reports.ts'
import { addServer as englishAddServer } from './en/add-server.ts'
import { findings as englishFindings } from './en/findings.ts'
import { rulePreview as englishPreview } from './en/rule-preview.ts'
import { securityEvents as englishSecurity } from './en/security-events.ts'
import { slos as englishSlos } from './en/slos.ts'
import { statusPages as englishPages } from './en/status-pages.ts'
import { windows as englishWindows } from './en/windows.ts'

type Texts = ReadonlyMap<string, unknown>

/** Each text by its path, such as `nav.signOut`. */
function textsOf(value: object, path: readonly string[] = []): Texts {
  return new Map(
    Object.entries(value).flatMap(([name, text]: [string, unknown]) =>
      typeof text === 'object' && text !== null
        ? [...textsOf(text, [...path, name])]
        : [[[...path, name].join('.'), text] as const],
    ),
  )
}

const ENGLISH = textsOf({
  ...en,
  slos: englishSlos,
  statusPages: englishPages,
  replays: englishReplays,
  reports: englishReports,
  heartbeats: englishHeartbeats,
  entities: englishEntities,
  escalation: englishEscalation,
  identityProviders: englishProviders,
  metrics: englishMetrics,
  channels: englishChannels,
  onCall: englishOnCall,
  passkeys: englishPasskeys,
  auditActions: englishActions,
  rulePreview: englishPreview,
  addServer: englishAddServer,
  findings: englishFindings,
  securityEvents: englishSecurity,
  windows: englishWindows,
})
const TRANSLATED: Readonly<Record<string, Texts>> = {
  de: textsOf({
    ...de,
    slos: germanSlos,
    statusPages: germanPages,
    replays: germanReplays,
    reports: germanReports,
    heartbeats: germanHeartbeats,
    entities: germanEntities,
    escalation: germanEscalation,
    identityProviders: germanProviders,
    metrics: germanMetrics,
    channels: germanChannels,
    onCall: germanOnCall,
    passkeys: germanPasskeys,
    auditActions: germanActions,
    rulePreview: germanPreview,
    addServer: germanAddServer,
    findings: germanFindings,
    securityEvents: germanSecurity,
    windows: germanWindows,
  }),
}

/** A text with markers as its values, of which it has to show the same ones in each language. */
function placeholdersOf(text: unknown): string[] {
  if (typeof text !== 'function') return []
  const markers = Array.from({ length: text.length }, (_, index) => `<${index}>`)
  const shown = (text as (...values: string[]) => string)(...markers)
  return markers.filter((marker) => shown.includes(marker))
}

/** The paths that the files of the page name, a group for all its texts. */
function usedPaths(): Set<string> {
  const folder = join(import.meta.dirname, '..')
  const used = new Set<string>()
  for (const file of globSync('**/*.{ts,tsx}', { cwd: folder })) {
    if (file.startsWith('messages/') || file.includes('.test.')) continue
    let code = readFileSync(join(folder, file), 'utf8')
    const names = new Map([
      ['messages', ''],
      ['slos', '.slos'],
      ['statusPages', '.statusPages'],
      ['replays', '.replays'],
      ['reports', '.reports'],
      ['heartbeats', '.heartbeats'],
      ['entities', '.entities'],
      ['metrics', '.metrics'],
      ['channels', '.channels'],
      ['rulePreview', '.rulePreview'],
      ['addServer', '.addServer'],
      ['findings', '.findings'],
      ['securityEvents', '.securityEvents'],
      ['onCall', '.onCall'],
      ['escalation', '.escalation'],
      ['windows', '.windows'],
      ['passkeys', '.passkeys'],
      ['auditActions', '.auditActions'],
    ])
    for (const [, name, alias = ''] of code.matchAll(/import \{ (\w+) as (\w+) \} from '[^']*\/messages\//g))
      names.set(alias, `.${name}`)
    const declare = (pattern: RegExp, add: (match: RegExpExecArray, path: string) => void) => {
      for (const match of code.matchAll(pattern)) {
        const parent = names.get(match[2] ?? '')
        if (parent !== undefined) add(match, parent + (match[3] ?? ''))
      }
      code = code.replaceAll(pattern, (whole, _1, name: string) => (names.has(name) ? '' : whole))
    }
    declare(/\bconst (\w+)(?:: [^=\n]+)? = (\w+)((?:\.\w+)*)(?=\n)/g, ([, name = ''], path) => names.set(name, path))
    declare(/\bconst \{([^}]+)\} = (\w+)((?:\.\w+)*)(?=\n)/g, ([, list = ''], path) => {
      for (const [, key, name] of list.matchAll(/(\w+)(?:: (\w+))?/g)) {
        names.set(name ?? key ?? '', `${path}.${key}`)
        if (ENGLISH.has(`${path}.${key}`.slice(1))) used.add(`${path}.${key}`.slice(1))
      }
    })
    for (const [name, path] of names)
      for (const [, rest = ''] of code.matchAll(new RegExp(`(?<![\\w.'"])${name}((?:\\??\\.\\w+)+|(?=[[),}]))`, 'g')))
        used.add((path + rest.replaceAll('?', '')).slice(1))
  }
  return used
}

describe('messages', () => {
  it.each(Object.keys(TRANSLATED))('in %s are those of the English ones', (language) => {
    expect([...(TRANSLATED[language]?.keys() ?? [])].toSorted()).toEqual([...ENGLISH.keys()].toSorted())
    expect(Object.keys(LANGUAGES).toSorted()).toEqual(['en', ...Object.keys(TRANSLATED)].toSorted())
  })

  it.each(Object.keys(TRANSLATED))('in %s show the same values as the English ones', (language) => {
    const differing = [...ENGLISH]
      .map(([path, text]) => [path, placeholdersOf(text), placeholdersOf(TRANSLATED[language]?.get(path))] as const)
      .filter(([, english, translated]) => english.join() !== translated.join())
    expect(differing).toEqual([])
  })

  it('are all used', () => {
    const used = usedPaths()
    const isUsed = (path: string) => path.split('.').some((_, index, names) => used.has(names.slice(0, index + 1).join('.')))
    expect([...ENGLISH.keys()].filter((path) => !isUsed(path))).toEqual([])
  })
})
