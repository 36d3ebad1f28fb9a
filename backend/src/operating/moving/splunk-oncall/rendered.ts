import { type DutyEntry, entryOf, savedRange } from '../compare.ts'
import type { SourceFiles } from '../files.ts'
import { instantOf, type Json, listOf, objectOf, textOf } from '../json.ts'
import { emailsIn, idOfRotation, overridesIn, teamsIn, usersIn } from './read.ts'

/** Who is on duty as the saved on-call schedules of the teams say, by the id of the rotation. Pure. */
export function renderedBySplunk(files: SourceFiles): Map<string, DutyEntry[]> {
  const emails = emailsIn(usersIn(files))
  const emailOf = (username: string) => emails.get(username) || username
  const fromMs = savedRange(files)?.fromMs
  const found = new Map<string, DutyEntry[]>()
  for (const { team, rotations, schedules } of teamsIn(files)) {
    const overrides = overridesIn(schedules).flatMap(overrideOf)
    const shifts = schedules.flatMap((one) => listOf(one['schedule']))
    for (const rotation of rotations) {
      // Policies name a rotation by its label; those of several policies are the same.
      const own = shifts.filter((shift) => textOf(shift['rotationName']) === textOf(rotation['label']))
      if (own.length === 0) continue
      const entries = own.flatMap((shift) => rollsOf(shift, fromMs)).flatMap((roll) => withOverrides(roll, overrides))
      found.set(
        idOfRotation(team, rotation),
        entries.map((entry) => ({ ...entry, email: emailOf(entry.email) })),
      )
    }
  }
  return found
}

/** `onCallUser` of the second version of its API is an object, and `onCall` of the first one a name. */
const userOf = (one: Json): string => textOf(objectOf(one['onCallUser'])['username']) || textOf(one['onCall'])

/** The times of a shift by user name, without overrides. The first one may only be given as who is on duty now, until when. */
function rollsOf(shift: Json, fromMs: number | undefined): DutyEntry[] {
  const now = userOf(shift)
  const current = now === '' || fromMs === undefined ? [] : entryOf(fromMs, shift['shiftRoll'], now)
  const rolls = listOf(shift['rolls']).flatMap((roll) => {
    const user = userOf(roll)
    return user === '' ? [] : entryOf(roll['start'] ?? roll['change'], roll['end'] ?? roll['until'], user)
  })
  return [...current, ...rolls]
}

interface Override {
  original: string
  substitute: string
  fromMs: number
  toMs: number
}

function overrideOf(one: Json): Override[] {
  const [original, substitute] = [one['origOnCallUser'], one['overrideOnCallUser']].map((user) =>
    textOf(objectOf(user)['username']),
  ) as [string, string]
  const [fromMs, toMs] = [instantOf(one['start']), instantOf(one['end'])]
  const isWhole = original !== '' && substitute !== '' && fromMs !== undefined && toMs !== undefined
  return isWhole ? [{ original, substitute, fromMs, toMs }] : []
}

/** Parts of a time, with who replaces its person in each. */
function withOverrides({ fromMs, toMs, email: user }: DutyEntry, overrides: readonly Override[]): DutyEntry[] {
  const own = overrides.filter((one) => one.original === user && one.fromMs < toMs && fromMs < one.toMs)
  const edges = [fromMs, toMs, ...own.flatMap((one) => [one.fromMs, one.toMs])]
    .filter((atMs) => atMs >= fromMs && atMs <= toMs)
    .toSorted((one, other) => one - other)
  return edges.slice(0, -1).flatMap((atMs, index) => {
    const endMs = edges[index + 1] as number
    if (endMs <= atMs) return []
    // Of two at the same time the later one counts, as here.
    const override = own.findLast((one) => one.fromMs <= atMs && atMs < one.toMs)
    return [{ fromMs: atMs, toMs: endMs, email: override?.substitute ?? user }]
  })
}
