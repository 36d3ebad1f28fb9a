import { listOf, objectOf, partOf, textOf, wordOf } from '../json.ts'
import type { SourceFiles } from '../files.ts'
import { methodOf, type Moved, type People, personRow, refused, type ReportRow, switchOff, together } from '../model.ts'
import { type Accounts, readAccounts } from './accounts.ts'
import { readEscalations } from './escalations.ts'
import { readHeartbeats, readIntegrations, readMaintenance, readRefused } from './others.ts'
import { readSchedules } from './schedules.ts'

/** The objects of a folder of the backup, or of a list of the API in one file. Names with a slash are in folders below. */
export function filesOf(files: SourceFiles, name: string): unknown[] {
  return [...files].flatMap(([path, content]) => {
    if (typeof content === 'string') return []
    const below = path.replace(/^OpsGenieBackups\//i, '')
    if (below.toLowerCase().startsWith(`${name.toLowerCase()}/`)) return [content]
    if (below.toLowerCase() !== `${name.toLowerCase()}.json`) return []
    const data = Array.isArray(content) ? content : objectOf(content)['data']
    const inner = Array.isArray(data) ? data : objectOf(data)[name]
    return listOf(inner)
  })
}

const SWITCH_OFF =
  'Opsgenie goes on notifying until you switch it off, in this order: 1. give the senders of each integration their new address, ' +
  '2. disable the integrations, 3. disable the escalations’ teams in their routing rules, 4. cancel open alerts, 5. end the account'

/** A folder of Opsgenie’s configuration backup. Pure. */
export function readOpsgenie(files: SourceFiles, people: People, nowMs: number): Moved {
  const users = filesOf(files, 'users')
  const accounts = readAccounts(users, filesOf(files, 'teams'), people)
  // Timelines that were saved next to the schedules are for a comparison.
  const saved = filesOf(files, 'schedules').filter((file) => partOf(file, 'data')['finalTimeline'] === undefined)
  const schedules = readSchedules(saved, accounts, nowMs)
  const escalations = readEscalations(filesOf(files, 'escalations'), accounts, schedules)
  const policies = policiesOf(escalations)
  return together([
    { resources: [], report: users.map((user) => userRow(user, accounts, people)) },
    schedules,
    escalations,
    readIntegrations(filesOf(files, 'integrations'), accounts, policies),
    readMaintenance(filesOf(files, 'maintenance'), nowMs),
    readHeartbeats(filesOf(files, 'heartbeats')),
    readRefused('forwarding', filesOf(files, 'forwardings'), 'make it an override of the schedules of its person'),
    readRefused(
      'policy',
      [...filesOf(files, 'policies'), ...filesOf(files, 'policiesV2')],
      'policies of alerts and of notifications do not come',
    ),
    readRefused('role', filesOf(files, 'custom user roles'), 'roles here are owner, admin, member and viewer'),
    switchOff('opsgenie', 'Opsgenie', SWITCH_OFF),
  ])
}

function userRow(file: unknown, accounts: Accounts, people: People): ReportRow {
  const user = partOf(file, 'user')
  const email = accounts.emailOf(user)
  const source = { kind: 'user', id: textOf(user['id']), name: email }
  if (user['blocked'] === true && accounts.memberOf(user) === undefined)
    return refused(source, 'the account was deactivated at the source')
  const contacts = [...listOf(user['userContacts']), ...listOf(objectOf(file)['contactList'])]
  return personRow(source, people, {
    rules: listOf(objectOf(file)['notificationRuleList']).length,
    methods: contacts.flatMap((contact) =>
      methodOf(wordOf(contact['contactMethod'] ?? contact['method']), textOf(contact['to'])),
    ),
  })
}

/** References of policies by id and name of their escalation. */
function policiesOf({ report }: Moved): Map<string, string> {
  const refs = new Map<string, string>()
  for (const { source, becomes } of report) {
    const [ref] = becomes
    if (ref === undefined) continue
    for (const key of [source.id, source.name]) refs.set(key, ref.replace('escalation_policy:', ''))
  }
  return refs
}
