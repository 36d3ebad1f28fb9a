import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RESTORABLE_TABLES } from '../../../platform/db/schema/columns.ts'

const SOURCES = new URL('../../../', import.meta.url)

/** Declarations whose statements read deleted rows too, or leave them out elsewhere. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'alerting/incidents/escalation-store.ts: listNames': 'names the channels of a step that was taken',
  'alerting/incidents/stories/timeline-store.ts: listChannels': 'names the channels that were notified',
  'alerting/incidents/stories/timeline-store.ts: listSurroundingEvents':
    'names what was changed then; its posts leave deleted pages out',
  'alerting/replays/store.ts: listRecorded': 'says what an incident was about',
  'alerting/replays/store.ts: listPeople': 'contact methods, which are removed at once',
  'notifying/notifications/contacts/store.ts: contactsOf': 'contact methods',
  'notifying/notifications/contacts/store.ts: deleteContact': 'contact methods',
  'notifying/notifications/contacts/store.ts: listContactTypes': 'contact methods',
  'notifying/notifications/contacts/store.ts: listReach': 'contact methods',
  'notifying/notifications/contacts/store.ts: addEmailContact': 'contact methods',
  'notifying/notifications/quiet-time/store.ts: listQuietTimes': 'contact methods',
  'notifying/notifications/channels/store.ts: findChannelsTo': '`sendsTo` leaves them out',
  'notifying/notifications/channels/store.ts: confirmAddress': '`sendsTo` leaves them out',
  'notifying/on-call/ical/store.ts: claimDue': 'updates what its search has found, which leaves them out',
  'operating/archive/scope.ts: GLOBAL': 'an export has them',
  'operating/prometheus/query/sources/incidents-store.ts: listIncidentSpans': 'names the rules of incidents that were',
  'operating/references/store.ts: lockRules': 'what is deleted is taken out of deleted rules too',
  'operating/references/store.ts: lockPolicies': 'and of deleted policies',
  'operating/references/store.ts: updateNamingRules': 'and of deleted rules',
  'operating/references/store.ts: updateNamingPolicies': 'and of deleted policies',
}

const TABLE = `(?:${RESTORABLE_TABLES.join('|')})\\b`
const NAMED = new RegExp(
  `(?:selectFrom|updateTable|deleteFrom|using|[jJ]oin)\\(\\s*['"\`]${TABLE}|\\b(?:from|join|update|using)\\s+${TABLE}`,
  'g',
)
const DECLARATION = /^(?:export )?(?:async )?(?:function|const|class)\s+(\w+|\{[^}]*\})/gm

/** The declarations of a file that name a table more often than they ask for `deleted_at`; a store of a resource asks by itself. */
function unfilteredIn(path: string): string[] {
  const text = readFileSync(new URL(path, SOURCES), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const starts = [...text.matchAll(DECLARATION)]
  return starts.flatMap((start, index) => {
    const declaration = text.slice(start.index, starts[index + 1]?.index)
    const named = declaration.match(NAMED)?.length ?? 0
    const filters = declaration.split('deleted_at').length - 1
    return named > filters && !declaration.includes('createResourceRows(') ? [`${path}: ${start[1]}`] : []
  })
}

it('leaves deleted resources out of every query but these', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES, exclude: (path) => path === 'test' })
  expect(files.length).toBeGreaterThan(500)
  const found = files.filter((path) => !path.endsWith('.test.ts')).flatMap(unfilteredIn)
  expect(found.sort()).toEqual(Object.keys(EXCEPTIONS).sort())
})
