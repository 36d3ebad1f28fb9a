import type { ConfigurationResource } from '@vedette/shared'
import type { SourceFiles } from '../files.ts'
import { type Json, listOf, numberOf, objectOf, textOf, wordOf } from '../json.ts'
import {
  type ContactMethod,
  moved,
  type Moved,
  type MovedSchedules,
  nameOf,
  newNotes,
  type Notes,
  type People,
  personRow,
  refOf,
  refsById,
  refused,
  type Source,
  switchOff,
  together,
} from '../model.ts'
import { toSteps } from '../steps.ts'
import { noteGroups } from '../groups.ts'
import { readOverrides, type TeamOverrides } from './overrides.ts'
import { readRoutingKeys } from './routing-keys.ts'
import { layersOf, type MemberOf } from './shifts.ts'

/** The objects of `<name>.json`: a list, or the answer of the endpoint. */
const endpoint = (files: SourceFiles, path: string, name: string): Json[] => {
  const all = files.get(path)
  const items = Array.isArray(all) ? all : objectOf(all)[name]
  // The first version of its API has the list of users in a list.
  return listOf(Array.isArray(items) ? items.flat() : items)
}

const SWITCH_OFF =
  'Splunk On-Call goes on notifying until you switch it off, in this order: 1. give the senders of each routing key their new address, ' +
  '2. disable the integrations, 3. resolve open incidents, 4. end the account'
const LAST_WAIT_SECONDS = 300

export const usersIn = (files: SourceFiles): Json[] => [
  ...endpoint(files, 'user.json', 'users'),
  ...endpoint(files, 'users.json', 'users'),
]

/** E-mails by user name. */
export const emailsIn = (users: readonly Json[]): Map<string, string> =>
  new Map(users.map((user) => [textOf(user['username']), textOf(user['email'])]))

/**
 * Files of the endpoints of Splunk On-Call: `user.json`, `team.json`, `policies.json` and `policies/<slug>.json`, and of each team
 * `team/<slug>/rotations.json` and `team/<slug>/oncall/schedule.json`, which has the overrides. Pure.
 */
export function readSplunkOnCall(files: SourceFiles, people: People, nowMs: number): Moved {
  const users = usersIn(files)
  const emails = emailsIn(users)
  const memberOf: MemberOf = (username, of, notes) => {
    const email = emails.get(username) ?? ''
    const id = email === '' ? undefined : people.idOf(email)
    if (id === undefined) notes.losses.push(`${of}: ${email || username} is no member here`)
    return id
  }
  const schedules = readRotations(files, memberOf, nowMs)
  const policies = readPolicies(files, memberOf, schedules.refs)
  return together([
    {
      resources: [],
      report: users.map((user) =>
        personRow({ kind: 'user', id: textOf(user['username']), name: textOf(user['email']) }, people, {
          methods: methodsOf(files, textOf(user['username'])),
        }),
      ),
    },
    schedules,
    policies,
    readRoutingKeys(files, refsById(policies)),
    switchOff('splunk-oncall', 'Splunk On-Call', SWITCH_OFF),
  ])
}

const KINDS = { phones: ['sms', 'phone'], emails: ['email'], devices: ['app'] } as const

/** Of `user/<username>/contact-methods.json`; a telephone takes messages and calls. */
function methodsOf(files: SourceFiles, username: string): ContactMethod[] {
  const saved = objectOf(files.get(`user/${username}/contact-methods.json`))
  return Object.entries(KINDS).flatMap(([name, kinds]) =>
    listOf(objectOf(saved[name])['contactMethods']).flatMap((one) =>
      kinds.map((kind) => ({ kind, to: name === 'devices' ? '' : textOf(one['value']) })),
    ),
  )
}

interface TeamFiles {
  team: string
  rotations: Json[]
  /** Of each of its policies who is on duty, with the overrides. */
  schedules: Json[]
}

export const teamsIn = (files: SourceFiles): TeamFiles[] =>
  [...files.keys()].flatMap((path) => {
    const team = /^team\/([^/]+)\/rotations\.json$/.exec(path)?.[1]
    if (team === undefined) return []
    const rotations = [...endpoint(files, path, 'rotations'), ...endpoint(files, path, 'rotationGroups')]
    return [{ team, rotations, schedules: endpoint(files, `team/${team}/oncall/schedule.json`, 'schedules') }]
  })

export const overridesIn = (schedules: readonly Json[]): Json[] => schedules.flatMap((one) => listOf(one['overrides']))

export const idOfRotation = (team: string, rotation: Json): string =>
  textOf(rotation['slug']) || `${team}/${textOf(rotation['label'])}`

/** Each rotation of a team is a schedule; shifts that overlap are on duty together, and are schedules of their own. */
function readRotations(files: SourceFiles, memberOf: MemberOf, nowMs: number): MovedSchedules {
  const resources: ConfigurationResource[] = []
  const report: Moved['report'] = []
  const refs = new Map<string, readonly string[]>()
  for (const { team, rotations, schedules } of teamsIn(files)) {
    const overrides = readOverrides(team, overridesIn(schedules), memberOf, nowMs)
    let areAllHere = true
    for (const rotation of rotations) {
      const label = textOf(rotation['label'])
      const source = { kind: 'rotation', id: idOfRotation(team, rotation), name: label }
      const notes = newNotes()
      const made = schedulesOf(rotation, source, team, overrides, memberOf, nowMs, notes)
      if (typeof made === 'string') {
        areAllHere = false
        report.push(refused(source, made))
        continue
      }
      noteGroups(
        made.map(({ spec }) => String(spec['name'])),
        notes,
      )
      resources.push(...made)
      refs.set(
        source.id,
        made.map(({ ref }) => ref),
      )
      report.push(
        moved(
          source,
          made.map(({ ref }) => `schedule:${ref}`),
          notes,
        ),
      )
    }
    report.push(...overrides.others(areAllHere))
  }
  return { resources, report, refs }
}

function schedulesOf(
  rotation: Json,
  source: Source,
  team: string,
  overrides: TeamOverrides,
  memberOf: MemberOf,
  nowMs: number,
  notes: Notes,
): ConfigurationResource[] | string {
  const read = layersOf(rotation, memberOf, nowMs, notes)
  // Who is replaced is found by user names: they need not be members here.
  const there = layersOf(rotation, (username) => username, nowMs, newNotes())
  if (typeof read === 'string') return read
  if (typeof there === 'string') return there
  return read.groups.map((group, index) => {
    const ref = `${refOf('splunk-oncall', 'rotations', source.id)}${index === 0 ? '' : `/${index + 1}`}`
    const name = `${team}: ${source.name}${index === 0 ? '' : `: ${group[0]?.rotation.name ?? ''}`}`
    const named = there.groups[index]?.map(({ layer }) => layer) ?? []
    const spec = {
      name: nameOf(name),
      time_zone: read.zone,
      layers: group.map(({ layer }) => layer),
      overrides: overrides.ofLayers(read.zone, named, notes),
    }
    return { kind: 'schedule', ref, spec }
  })
}

function readPolicies(files: SourceFiles, memberOf: MemberOf, rotations: MovedSchedules['refs']): Moved {
  const resources: ConfigurationResource[] = []
  const whole = [...files].flatMap(([path, content]) => (/^policies\/[^/]+\.json$/.test(path) ? [objectOf(content)] : []))
  const policies = whole.length > 0 ? whole : endpoint(files, 'policies.json', 'policies')
  const report = policies.map((policy) => {
    const source = { kind: 'policy', id: textOf(policy['slug']), name: textOf(policy['name']) }
    if (!Array.isArray(policy['steps'])) return refused(source, 'its file has no steps: save the answer of /v1/policies/<slug>')
    const notes = newNotes()
    const all = listOf(policy['steps'])
    // A step waits before it is taken there, and afterwards here.
    const first = numberOf(all[0]?.['timeout']) ?? 0
    if (first > 0) notes.changes.push(`its first step is notified at once, not after ${first * 60} s`)
    const drafts = all.map((step, index) => {
      const of = `step ${index + 1}`
      const [users, schedules]: [string[], string[]] = [[], []]
      for (const entry of listOf(step['entries'])) {
        const type = wordOf(entry['executionType'])
        const group = objectOf(entry['rotationGroup'])
        const refs =
          rotations.get(textOf(group['slug'])) ?? [...rotations].find(([id]) => id.endsWith(`/${textOf(group['label'])}`))?.[1]
        if (type === 'user') {
          const id = memberOf(textOf(objectOf(entry['user'])['username']), of, notes)
          if (id !== undefined) users.push(id)
        } else if (type.startsWith('rotation-group') && refs !== undefined) {
          schedules.push(...refs)
          if (type !== 'rotation-group') notes.changes.push(`${of} notifies who is on duty, not "${type}"`)
        } else notes.losses.push(`${of}: "${type}" ${textOf(group['label'])} does not come`.replace('  ', ' '))
      }
      const next = all[index + 1]
      const waitSeconds = next === undefined ? LAST_WAIT_SECONDS : (numberOf(next['timeout']) ?? 0) * 60
      return { users, schedules, waitSeconds }
    })
    const steps = toSteps(drafts, notes)
    if (steps.length === 0) return refused(source, 'nobody whom it notifies is here')
    const ref = refOf('splunk-oncall', 'policies', source.id)
    resources.push({ kind: 'escalation_policy', ref, spec: { name: nameOf(source.name), steps } })
    return moved(source, [`escalation_policy:${ref}`], notes)
  })
  return { resources, report }
}
